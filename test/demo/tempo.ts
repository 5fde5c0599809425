// Settings of the operator that make the demo quick. In a cluster the defaults are right.

/** How long a successor waits for an operator that ended without a word. */
export const LEASE_SECONDS = 5;

export const VARIABLES = {
  LEASE_DURATION_SECONDS: String(LEASE_SECONDS),
  LEASE_RENEW_DEADLINE_SECONDS: "4",
  LEASE_RETRY_SECONDS: "1",
  DRAIN_SECONDS: "2",
} as const;
