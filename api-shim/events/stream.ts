// One event stream to one client: the task's state now, each newer state, heartbeats, and an end. What a slow reader has not
// taken is never queued: he gets the newest state when he reads again, or is cut off.
import type { ServerResponse } from "node:http";
import type { Cancel, Clock } from "../../operator/runtime/clock.ts";
import { compareVersions } from "../../operator/runtime/objects.ts";
import { onAbort } from "../../operator/runtime/signals.ts";
import { isFinal } from "../../operator/task/phase.ts";
import type { TaskView } from "../tasks/view.ts";
import type { Hub } from "./hub.ts";

export interface StreamSettings {
  readonly heartbeatMs: number;
  /** Then the client connects again, and is asked again who he is. */
  readonly lifetimeMs: number;
  /** How long a reader may take to empty his connection. */
  readonly stallMs: number;
}

export interface StreamDeps {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly settings: StreamSettings;
}

export interface Following {
  readonly key: string;
  /** The newest state that is known at the start. */
  readonly first: TaskView;
  /** The version that the client has already; "" when none. */
  readonly lastVersion: string;
}

const RETRY_MS = 2_000;

/** Writes events until the task ends, the client goes, time is up or `stop` is aborted. Resolves when it is over. */
export async function streamTask(
  { hub, clock, settings }: StreamDeps,
  { key, first, lastVersion }: Following,
  response: ServerResponse,
  stop: AbortSignal,
): Promise<void> {
  const over = Promise.withResolvers<undefined>();
  const end = (): void => over.resolve(undefined);
  const mouth = makeMouth(response, clock, settings.stallMs);
  let sentVersion = lastVersion;
  function tell(view: TaskView | undefined): void {
    if (view === undefined) {
      mouth.say("event: deleted\ndata: {}\n\n");
      end();
      return;
    }
    if (compareVersions(view.version, sentVersion) > 0) {
      sentVersion = view.version;
      mouth.say(`id: ${view.version}\nevent: task\ndata: ${JSON.stringify(view)}\n\n`);
    }
    if (isFinal(view.phase)) end();
  }

  response.once("close", end);
  const unlisten = onAbort(stop, end);
  mouth.say(`retry: ${RETRY_MS}\n\n`);
  const unfollow = hub.follow(key, tell);
  tell(first);
  const stopBeating = repeatedly(clock, settings.heartbeatMs, () => mouth.beat());
  const cancelEnd = clock.after(settings.lifetimeMs, end);

  await over.promise;
  for (const undo of [unfollow, stopBeating, cancelEnd, unlisten]) undo();
  mouth.close();
}

interface Mouth {
  /** At once, or when the reader has taken what went before; then only the last of what was said meanwhile. */
  say(text: string): void;
  /** Only when nothing is waiting. */
  beat(): void;
  /** The last words go out, or the connection does. */
  close(): void;
}

function makeMouth(response: ServerResponse, clock: Clock, stallMs: number): Mouth {
  let pending: string | undefined;
  let isBlocked = false;
  let cancelStall: Cancel = () => undefined;
  const cutLater = (): Cancel => clock.after(stallMs, () => void response.destroy());
  function write(text: string): void {
    if (response.write(text)) return;
    isBlocked = true;
    cancelStall = cutLater();
  }
  response.on("drain", () => {
    isBlocked = false;
    cancelStall();
    const text = pending;
    pending = undefined;
    if (text !== undefined) write(text);
  });
  return {
    say: (text) => {
      if (isBlocked) pending = text;
      else write(text);
    },
    beat: () => {
      if (!isBlocked) write(": still here\n\n");
    },
    close: () => {
      cancelStall();
      if (response.closed) return;
      response.once("close", cutLater());
      response.end(pending ?? "");
    },
  };
}

function repeatedly(clock: Clock, everyMs: number, run: () => void): Cancel {
  let cancel: Cancel = () => undefined;
  const next = (): void => {
    cancel = clock.after(everyMs, () => {
      run();
      next();
    });
  };
  next();
  return () => cancel();
}
