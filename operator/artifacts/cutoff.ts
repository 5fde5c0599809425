// A signal with several ends, each with its own word. What it rejects with is always an Interruption.
import { Interruption } from "./interruption.ts";

export interface Cutoff {
  readonly signal: AbortSignal;
  /** Ends it now; only the first end counts. */
  cut(code: string): void;
  /** Ends it later, in place of what was so arranged before. */
  cutIn(afterMs: number, code: string): void;
  /** Takes its timer and its listener away; must be called when the work is over. */
  release(): void;
}

/** Ends with its parent too: with the parent's word when that is one of ours, else as `aborted`. */
export function makeCutoff(parent: AbortSignal): Cutoff {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const cut = (code: string): void => controller.abort(new Interruption(code));
  const follow = (): void => {
    if (parent.reason instanceof Interruption) controller.abort(parent.reason);
    else cut("aborted");
  };
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });

  return {
    signal: controller.signal,
    cut,
    cutIn(afterMs, code) {
      clearTimeout(timer);
      timer = setTimeout(cut, afterMs, code);
    },
    release() {
      clearTimeout(timer);
      parent.removeEventListener("abort", follow);
    },
  };
}
