// Whether a download goes on well enough. Only the time spent waiting for the sender counts: our own store may be slow.

export interface Pace {
  /** We have begun to wait for the sender. */
  wait(nowMs: number): void;
  /** The sender gave so many bytes. */
  got(bytes: number, nowMs: number): void;
  /** To be asked at least every quarter of the limits. */
  judge(nowMs: number): "fine" | "stalled" | "too-slow";
}

interface PaceLimits {
  readonly stallMs: number;
  readonly minBytesPerSecond: number;
  readonly windowMs: number;
}

export function makePace({ stallMs, minBytesPerSecond, windowMs }: PaceLimits): Pace {
  let waitingSince: number | undefined;
  let waitedInWindowMs = 0;
  let bytesInWindow = 0;
  const sinceWaitMs = (nowMs: number): number => (waitingSince === undefined ? 0 : nowMs - waitingSince);

  return {
    wait(nowMs) {
      waitingSince = nowMs;
    },
    got(bytes, nowMs) {
      waitedInWindowMs += sinceWaitMs(nowMs);
      waitingSince = undefined;
      bytesInWindow += bytes;
    },
    judge(nowMs) {
      if (sinceWaitMs(nowMs) >= stallMs) return "stalled";
      const waitedMs = waitedInWindowMs + sinceWaitMs(nowMs);
      if (waitedMs < windowMs) return "fine";
      if (bytesInWindow * 1000 < minBytesPerSecond * waitedMs) return "too-slow";
      waitedInWindowMs = -sinceWaitMs(nowMs); // a new window begins in the middle of a wait
      bytesInWindow = 0;
      return "fine";
    },
  };
}
