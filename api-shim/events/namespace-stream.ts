// The event stream of a namespace: which tasks there are, each that the client does not have as it is now, then each that
// changes. Of each task only its newest state waits to be told, however often it changed and however slow the reader is.
import type { ServerResponse } from "node:http";
import { compareVersions } from "../../operator/runtime/objects.ts";
import type { TaskView } from "../tasks/view.ts";
import { speak, type Mouth } from "./mouth.ts";
import { RETRY, taskEvent, type StreamDeps } from "./stream.ts";

export interface FollowedNamespace {
  readonly namespace: string;
  /** Of the last event that the client had; "" when none. */
  readonly lastVersion: string;
}

interface Untold {
  /** Undefined: the task is gone. */
  readonly view: TaskView | undefined;
  readonly inOrder: boolean;
}

/** Writes events until the client goes, time is up or `stop` is aborted. Resolves when it is over. */
export async function streamNamespace(
  { hub, ...deps }: StreamDeps,
  { lastVersion, namespace }: FollowedNamespace,
  response: ServerResponse,
  stop: AbortSignal,
): Promise<void> {
  const all = hub.all(namespace);
  const untold = new Map<string, Untold>();
  for (const view of missing(all, lastVersion)) untold.set(view.id, { view, inOrder: true });
  const heartbeatSeconds = deps.settings.heartbeatMs / 1000;
  const there = { namespace, heartbeatSeconds, ids: all.map(({ id }) => id) };
  let opening: string | undefined = `${RETRY}event: tasks\ndata: ${JSON.stringify(there)}\n\n`;

  function next(): string | undefined {
    const text = opening ?? first();
    opening = undefined;
    return text;
  }
  function first(): string | undefined {
    const [id, told] = untold.entries().next().value ?? [];
    if (id === undefined || told === undefined) return undefined;
    untold.delete(id);
    if (told.view === undefined) return `event: deleted\ndata: ${JSON.stringify({ id })}\n\n`;
    return taskEvent(told.view, told.inOrder ? told.view.version : undefined);
  }
  function follow(mouth: Mouth): () => void {
    const unfollow = hub.followAll(namespace, (id, view, { inOrder }) => {
      untold.delete(id); // what is told last stands last, so that ids rise
      untold.set(id, { view, inOrder });
      mouth.ring();
    });
    mouth.ring();
    return unfollow;
  }

  await speak(response, { next, follow }, deps, stop);
}

/**
 * What is newer than what the client has. All, when he has seen what nobody here has: another replica is ahead, the newest task
 * is gone, or the cluster was restored; then to tell too much is harmless, and too little is not.
 */
function missing(all: readonly TaskView[], lastVersion: string): readonly TaskView[] {
  const newest = all.at(-1)?.version ?? "";
  if (compareVersions(lastVersion, newest) > 0) return all;
  return all.filter(({ version }) => compareVersions(version, lastVersion) > 0);
}
