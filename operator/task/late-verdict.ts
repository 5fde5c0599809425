// How a search that went on after an attempt was given up came to its end.

/** How a late search ends. "none": no job turned up; "unended": one did, and was never seen to end. */
export const LATE_VERDICTS = ["none", "succeeded", "failed", "cancelled", "lost", "unended"] as const;
export type LateVerdict = (typeof LATE_VERDICTS)[number];
