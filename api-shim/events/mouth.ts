// The writing side of an event stream. It asks for the next words only when the reader has taken those before, so that what a
// slow reader has not taken is never queued here; who takes nothing for too long is cut off.
import type { ServerResponse } from "node:http";
import type { Cancel, Clock } from "../../operator/runtime/clock.ts";
import { onAbort } from "../../operator/runtime/signals.ts";

export interface StreamSettings {
  readonly heartbeatMs: number;
  /** Then the client connects again, and is asked again who he is. */
  readonly lifetimeMs: number;
  /** How long a reader may take to empty his connection. */
  readonly stallMs: number;
}

export interface Mouth {
  /** There is something to say: at once, or when the reader has taken what went before. */
  ring(): void;
  /** Nothing comes any more: the last words go out, or the connection does. */
  end(): void;
}

/** Whoever has something to say. */
export interface Speaker {
  /** The next words; undefined when there is nothing to say now. */
  next(): string | undefined;
  /** Starts to follow, and returns how to stop. */
  follow(mouth: Mouth): () => void;
}

/** Speaks until the speaker ends it, the client goes, time is up or `stop` is aborted. Resolves when it is over. */
export async function speak(
  response: ServerResponse,
  speaker: Speaker,
  { clock, settings }: { readonly clock: Clock; readonly settings: StreamSettings },
  stop: AbortSignal,
): Promise<void> {
  const over = Promise.withResolvers<undefined>();
  const end = (): void => over.resolve(undefined);
  const pipe = makePipe(response, () => speaker.next(), { clock, stallMs: settings.stallMs });
  // Who left while being let in is gone already, and "close" does not come twice.
  if (response.closed || response.destroyed) end();
  else response.once("close", end);
  const unlisten = onAbort(stop, end);
  const unfollow = speaker.follow({ ring: () => pipe.pump(), end });
  const stopBeating = repeatedly(clock, settings.heartbeatMs, () => pipe.beat());
  const cancelEnd = clock.after(settings.lifetimeMs, end);

  await over.promise;
  for (const undo of [unfollow, stopBeating, cancelEnd, unlisten]) undo();
  pipe.close();
}

interface Pipe {
  pump(): void;
  /** Only when nothing is waiting. */
  beat(): void;
  close(): void;
}

function makePipe(
  response: ServerResponse,
  next: () => string | undefined,
  { clock, stallMs }: { readonly clock: Clock; readonly stallMs: number },
): Pipe {
  let isBlocked = false;
  let cancelStall: Cancel = () => undefined;
  const cutLater = (): Cancel => clock.after(stallMs, () => void response.destroy());
  function pump(): void {
    for (let text = isBlocked ? undefined : next(); text !== undefined; text = isBlocked ? undefined : next()) {
      if (response.write(text)) continue;
      isBlocked = true;
      cancelStall = cutLater();
    }
  }
  response.on("drain", () => {
    isBlocked = false;
    cancelStall();
    pump();
  });
  return {
    pump,
    beat: () => {
      if (!isBlocked) response.write(": still here\n\n");
    },
    close: () => {
      cancelStall();
      if (response.closed) return;
      response.once("close", cutLater());
      response.end(next() ?? "");
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
