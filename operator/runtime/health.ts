// Is the process well, judged from facts. Liveness, readiness and leadership are three things: a follower is as alive
// and as ready as a leader, and a server that is down is no reason to restart us.

export interface HealthFacts {
  /** The part of the last minute in which the event loop stood still, 0 to 1. */
  readonly loopStalledShare: number;
  readonly watches: readonly {
    readonly name: string;
    readonly isSynced: boolean;
    /** Since the watching loop last did anything. */
    readonly progressAgoMs: number;
  }[];
  readonly controllers: readonly { readonly name: string; readonly longestPassMs: number }[];
  readonly isStarted: boolean;
  readonly isStopping: boolean;
}

export interface HealthLimits {
  readonly loopStalledShare: number;
  readonly watchProgressMs: number;
  /** Well above the deadline of a pass: longer means that it ignores its signal. */
  readonly passMs: number;
}

export interface Verdict {
  readonly isWell: boolean;
  /** Short sentences for people, without anything secret. */
  readonly problems: readonly string[];
}

const LIMITS: HealthLimits = { loopStalledShare: 0.5, watchProgressMs: 300_000, passMs: 600_000 };

/** False means that only a restart helps. */
export function liveness(facts: HealthFacts, limits: HealthLimits = LIMITS): Verdict {
  const { loopStalledShare, watches, controllers } = facts;
  const percent = Math.round(loopStalledShare * 100);
  return verdict([
    ...(loopStalledShare > limits.loopStalledShare
      ? [`the event loop stood still for ${percent} % of the last minute`]
      : []),
    ...watches
      .filter(({ progressAgoMs }) => progressAgoMs > limits.watchProgressMs)
      .map(({ name, progressAgoMs }) => `watch ${name} has done nothing for ${seconds(progressAgoMs)} s`),
    ...controllers
      .filter(({ longestPassMs }) => longestPassMs > limits.passMs)
      .map(({ name, longestPassMs }) => `a pass of controller ${name} runs since ${seconds(longestPassMs)} s`),
  ]);
}

/** False means: send no requests. */
export function readiness(facts: HealthFacts): Verdict {
  return verdict([
    ...(facts.isStopping ? ["the process is stopping"] : []),
    ...(facts.isStarted ? [] : ["the process is starting"]),
    ...facts.watches.filter(({ isSynced }) => !isSynced).map(({ name }) => `watch ${name} has not seen everything yet`),
  ]);
}

function verdict(problems: readonly string[]): Verdict {
  return { isWell: problems.length === 0, problems };
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1000);
}
