// The event stream of one task: its state now, each newer state, and an end. Of states that the client has not taken only the
// newest waits for him.
import type { ServerResponse } from "node:http";
import type { Clock } from "../../operator/runtime/clock.ts";
import { compareVersions } from "../../operator/runtime/objects.ts";
import { isFinal } from "../../operator/task/phase.ts";
import type { TaskView } from "../tasks/view.ts";
import type { Hub } from "./hub.ts";
import { speak, type Mouth, type StreamSettings } from "./mouth.ts";

export interface StreamDeps {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly settings: StreamSettings;
}

/** A stream that a route answers with. */
export interface Following {
  /** Whose it is: it counts there. */
  readonly namespace: string;
  /** Resolves when it is over. */
  readonly write: (deps: StreamDeps, response: ServerResponse, stop: AbortSignal) => Promise<void>;
}

export interface FollowedTask {
  readonly key: string;
  /** The newest state that is known at the start. */
  readonly first: TaskView;
  /** The version that the client has already; "" when none. */
  readonly lastVersion: string;
}

/** How soon a client that lost its stream comes again. */
export const RETRY = "retry: 2000\n\n";

/** Writes events until the task ends, the client goes, time is up or `stop` is aborted. Resolves when it is over. */
export async function streamTask(
  { hub, ...deps }: StreamDeps,
  { key, first, lastVersion }: FollowedTask,
  response: ServerResponse,
  stop: AbortSignal,
): Promise<void> {
  let sentVersion = lastVersion;
  let waiting: string | undefined = RETRY;
  const next = (): string | undefined => {
    const text = waiting;
    waiting = undefined;
    return text;
  };
  function follow(mouth: Mouth): () => void {
    const tell = (view: TaskView | undefined): void => {
      waiting = view === undefined ? "event: deleted\ndata: {}\n\n" : (newer(view) ?? waiting);
      mouth.ring();
      if (view === undefined || isFinal(view.phase)) mouth.end();
    };
    mouth.ring();
    const unfollow = hub.follow(key, tell);
    tell(first);
    // What the watch told while `first` was read live was told to nobody.
    const now = hub.seen(key);
    if (now) tell(now);
    return unfollow;
  }
  function newer(view: TaskView): string | undefined {
    if (compareVersions(view.version, sentVersion) <= 0) return undefined;
    sentVersion = view.version;
    return taskEvent(view, view.version);
  }

  await speak(response, { next, follow }, deps, stop);
}

/** Without an id the client keeps the one before, and is told again what came after that. */
export function taskEvent(view: TaskView, id: string | undefined): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: task\ndata: ${JSON.stringify(view)}\n\n`;
}
