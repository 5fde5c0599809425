// Waiting for what the server does, seen through its own views, with a limit. Nothing is assumed to have happened by a time.
import { setTimeout as pause } from "node:timers/promises";
import type { TestDatabase } from "./database.ts";

const LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 10;

/** Looks until it is so, for so long at most. */
export async function until(isSo: () => Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error("gave up waiting: it never came to be so");
    await pause(LOOK_EVERY_MS);
  }
}

/** How many sessions of this database wait for a lock. */
export async function blockedBackends(database: TestDatabase): Promise<number> {
  return database.asSuperuser(async (client) => {
    const { rows } = await client.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.waiting ?? 0;
  });
}
