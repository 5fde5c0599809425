// How long nobody worked between one leader and the next, by the rows that they wrote and the database's own clock.
import { makePool } from "../../operator/postgres/pool.ts";
import { ACTS, gapBetween, type Act } from "../bench/handoff/acts.ts";

/** The gaps of all handovers that ended after this moment, in milliseconds. */
export async function handoversOf(databaseUrl: string, since: Date): Promise<readonly number[]> {
  const pool = makePool({ url: databaseUrl, applicationName: "handovers", maxConnections: 1 });
  try {
    const { rows } = await pool.query<Act>(ACTS);
    const recent = rows.filter(({ atMs }) => atMs >= since.getTime());
    const terms = [...new Set(recent.map(({ epoch }) => epoch))].toSorted((a, b) => a - b);
    return terms.slice(1).map((term, at) => gapBetween(rows, terms[at] ?? term, term));
  } finally {
    await pool.end();
  }
}
