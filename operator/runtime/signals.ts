// How work is asked to end. Two wishes, because an orderly end takes time and time runs out.

export interface Signals {
  /** Begin nothing new, finish what runs. */
  readonly stop: AbortSignal;
  /** Break off at once. */
  readonly force: AbortSignal;
}

/** Calls `run` when the signal is aborted, at once if it is already. Returns how to stop listening. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    run();
    return () => undefined;
  }
  signal.addEventListener("abort", run, { once: true });
  return () => signal.removeEventListener("abort", run);
}

/** Resolves when the signal is aborted, and never rejects: for what only waits to be stopped. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}
