// What leaders did, as the database has it: each posting of the ledger and each submit carries the number of the term that made
// it and the database's time. Nothing that a process says of itself counts. The arithmetic is pure.

/** One act of a term. */
export interface Act {
  readonly epoch: number;
  readonly atMs: number;
}

export const ACTS = `
select epoch::float8 as epoch, (extract(epoch from at) * 1000)::float8 as "atMs"
  from (select epoch, posted_at as at from genop.ledger_transactions where operation <> 'grant'
        union all select epoch, started_at from genop.calls) act
 order by at`;

/** From the last act of the one to the first of the other. Throws when one of them did nothing. */
export function gapBetween(acts: readonly Act[], old: number, next: number): number {
  const [last, first] = [timesOf(acts, old).at(-1), timesOf(acts, next)[0]];
  if (last === undefined || first === undefined) throw new Error("cannot tell the gap: a term has done nothing");
  return first - last;
}

/** What lies between the acts of one term: the work's own spacing, below which no gap can be seen. */
export function spacingsOf(acts: readonly Act[], epoch: number): readonly number[] {
  const times = timesOf(acts, epoch);
  return times.slice(1).map((time, at) => time - (times[at] ?? time));
}

/** The newest term that has acted; 0 for none. */
export function newestOf(acts: readonly Act[]): number {
  return acts.reduce((newest, { epoch }) => Math.max(newest, epoch), 0);
}

export function countOf(acts: readonly Act[], epoch: number): number {
  return timesOf(acts, epoch).length;
}

function timesOf(acts: readonly Act[], epoch: number): readonly number[] {
  return acts
    .filter((act) => act.epoch === epoch)
    .map(({ atMs }) => atMs)
    .toSorted((a, b) => a - b);
}
