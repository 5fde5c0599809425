// Where the ledger's bench takes place: a Postgres of its own whose commits reach the disk, accounts with credits, and attempts
// for which nothing is held yet.
import type { Pool } from "pg";
import { acquireEpoch } from "../../../operator/postgres/fence.ts";
import type { Fence } from "../../../operator/postgres/fence.ts";
import { makeGrants } from "../../../operator/postgres/grants.ts";
import type { AttemptId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { startEnvironment } from "../../env/environment.ts";
import { openDatabase } from "../../integration/postgres/database.ts";
import type { TestDatabase } from "../../integration/postgres/database.ts";

export const CLIENTS = 8;
export const HELD = micro(100n);
export const CHARGED = micro(60n);

/** `cold`: an account for each client; `hot`: one for all. */
export type Heat = "cold" | "hot";

export interface Hall {
  readonly database: TestDatabase;
  readonly pool: Pool;
  readonly fence: Fence;
  /** Makes so many attempts for each client; answers the number before the first one's. */
  attempts(heat: Heat, eachClient: number): Promise<number>;
  /** Holds that were resolved so far. */
  resolved(): Promise<number>;
  close(): Promise<void>;
}

/** Names an attempt by a number of twelve digits. */
export const attemptOf = (number: number | string): AttemptId => `00000000-0000-4000-8000-${number}` as AttemptId;
export const namespaceOf = (heat: Heat, client: number | string): string => (heat === "hot" ? "hot" : `cold-${client}`);

const FIRST = 100_000_000_000;
const ENOUGH = micro(1_000_000_000_000n);
const ATTEMPTS = `
with numbers as (
  select number, $3 || case $3 when 'hot' then '' else '-' || (number - $1 - 1) / $2::bigint end as namespace
    from generate_series($1::bigint + 1, $1::bigint + $2::bigint * $4::bigint) as number
), tasks as (
  insert into genop.tasks (key, uid, namespace, name, spec_hash)
  select namespace || '/' || number, number, namespace, number, '' from numbers
)
insert into genop.attempts (id, task_key, number, namespace, provider, model, priority)
select ('00000000-0000-4000-8000-' || number)::uuid, namespace || '/' || number, 1, namespace, 'bench', 'bench', 0 from numbers`;

export async function openHall(signal: AbortSignal): Promise<Hall> {
  const parts = { controlPlane: false, s3: false, provider: false, postgres: { fsync: true } };
  const environment = await startEnvironment(parts, signal);
  try {
    const database = await openDatabase({ environment });
    const pool = database.pool({ maxConnections: CLIENTS });
    const epoch = await acquireEpoch(pool, "bench");
    const fence = (): typeof epoch => epoch;
    const grants = makeGrants(pool, fence);
    const clients = Array.from({ length: CLIENTS }, (_, client) => namespaceOf("cold", client));
    for (const namespace of ["hot", ...clients])
      await grants.apply({ uid: namespace, namespace, amount: ENOUGH, reason: "bench" }, signal);
    let last = FIRST;
    return {
      database,
      pool,
      fence,
      attempts: async (heat, eachClient) => {
        const before = last;
        await database.asSuperuser(async (client) => {
          await client.query(ATTEMPTS, [before, eachClient, heat, CLIENTS]);
          await client.query("analyze genop.attempts");
        });
        last += eachClient * CLIENTS;
        return before;
      },
      resolved: async () => {
        const { rows } = await pool.query<{ count: number }>(
          "select count(*)::integer as count from genop.hold_resolutions",
        );
        return rows[0]?.count ?? 0;
      },
      close: async () => {
        await database.close();
        await environment.stop();
      },
    };
  } catch (error) {
    await environment.stop();
    throw error;
  }
}
