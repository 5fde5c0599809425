// What the fetch stage tells about its work; wiring turns it into metrics. None of these may throw.

export interface Meter {
  /** Seconds from the request to the head of an answer that is streamed. */
  answered(provider: string, seconds: number): void;
  received(provider: string, bytes: number): void;
  /** One output: `verified`, `expired`, `unusable` or `interrupted`. */
  brought(provider: string, outcome: string, seconds: number): void;
  /** One whole fetch; `code` only when it was interrupted. */
  fetched(provider: string, outcome: string, code: string | undefined, seconds: number): void;
  /** Something could not be taken away at once, and is left to the discard or the sweep. */
  left(what: "upload" | "staging"): void;
}

export const silentMeter: Meter = {
  answered: () => undefined,
  received: () => undefined,
  brought: () => undefined,
  fetched: () => undefined,
  left: () => undefined,
};
