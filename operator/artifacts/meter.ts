// What the fetch stage tells about its work; wiring turns it into metrics. None of these may throw.

export interface Meter {
  received(provider: string, bytes: number): void;
  /** One whole fetch, however it ended. */
  fetched(provider: string, seconds: number): void;
  /** Something could not be taken away at once, and is left to the sweep. */
  left(what: "upload" | "staging"): void;
}

export const silentMeter: Meter = {
  received: () => undefined,
  fetched: () => undefined,
  left: () => undefined,
};
