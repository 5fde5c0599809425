// When to look again: pure arithmetic. Every delay is capped, grows, and is spread by `random` in [0, 1) so that
// a thousand tasks that met the same fault do not come back together. A Retry-After is a floor, never undercut.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Longer hints than this are cut: a typo of a provider must not park a task for a year. */
const HINT_CAP_MS = 15 * MINUTE_MS;

/** Changes of the object, the provider and the ConfigMap wake a task; this is for what no event tells. */
export const RECHECK_MS = 15 * SECOND_MS;

/** The job was just accepted: most image jobs are done within seconds. */
export function firstPollMs(random: number): number {
  return spread(SECOND_MS, random);
}

/** After `polls` queries that found it running: 1 s, growing by half, at most 15 s. */
export function pollMs(polls: number, hintMs: number | undefined, random: number): number {
  return withHint(spread(capped(SECOND_MS, 1.5, polls, 15 * SECOND_MS), random), hintMs);
}

/** A parked task is still looked at, rarely: what turns up late is worth knowing. */
export const PARKED_LOOK_MS = 5 * MINUTE_MS;

/** Between looks for a lost job: 1 s, doubling, at most a minute. */
export function searchMs(looks: number, hintMs: number | undefined, random: number): number {
  return withHint(spread(capped(SECOND_MS, 2, looks, MINUTE_MS), random), hintMs);
}

/** Before the attempt after `failed` others of which none created a job: full jitter under 1 s, 2 s, … 60 s. */
export function retryMs(failed: number, hintMs: number | undefined, random: number): number {
  const ceiling = capped(SECOND_MS, 2, failed, MINUTE_MS);
  return withHint(Math.ceil(ceiling * (0.1 + 0.9 * random)), hintMs);
}

/** The provider refuses everybody: no hurry, and no thousand tasks that knock at its door. 30 s, doubling, at most 15 min. */
export function lockedOutMs(failed: number, random: number): number {
  return spread(capped(30 * SECOND_MS, 2, failed, 15 * MINUTE_MS), random);
}

const HOUR_MS = 60 * MINUTE_MS;

/** How long a job is looked for after its attempt was given up, and how long one that was found then is watched. */
export const LATE_HORIZON_MS = 7 * 24 * HOUR_MS;

/** Between looks for the job of an attempt that was given up: a minute, three times as long each time, at most 12 hours. Some twenty in all. */
export function lateLookMs(looks: number, hintMs: number | undefined, random: number): number {
  return withHint(spread(capped(MINUTE_MS, 3, looks, 12 * HOUR_MS), random), hintMs);
}

/** Between queries of a job that turned up late: nobody waits for it. 15 s, doubling, at most 15 min. */
export function lateWatchMs(looks: number, hintMs: number | undefined, random: number): number {
  return withHint(spread(capped(15 * SECOND_MS, 2, looks, 15 * MINUTE_MS), random), hintMs);
}

/** Before outputs are fetched again: they may expire, so at most 30 s. */
export function fetchMs(fetches: number, hintMs: number | undefined, random: number): number {
  return withHint(spread(capped(SECOND_MS, 2, fetches, 30 * SECOND_MS), random), hintMs);
}

function capped(firstMs: number, factor: number, times: number, capMs: number): number {
  return Math.min(capMs, firstMs * factor ** Math.min(times, 32));
}

/** ± 20 %. */
function spread(ms: number, random: number): number {
  return Math.ceil(ms * (0.8 + 0.4 * random));
}

function withHint(ms: number, hintMs: number | undefined): number {
  return Math.max(ms, Math.min(hintMs ?? 0, HINT_CAP_MS));
}
