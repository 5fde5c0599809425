// A database of a test file's own with a leader's desk in it, from before its first test to after its last.
import { afterAll, beforeAll } from "@jest/globals";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Opened {
  readonly database: TestDatabase;
  readonly desk: Desk;
}

/** `funds`: micro-credits by namespace. `take` is told before the first test. */
export function ownDesk(funds: Readonly<Record<string, bigint>>, take: (opened: Opened) => void): void {
  let opened: Opened | undefined;
  beforeAll(async () => {
    const database = await openDatabase();
    opened = { database, desk: await openDesk(database.pool()) };
    for (const [namespace, amount] of Object.entries(funds)) await opened.desk.grant(namespace, amount);
    take(opened);
  });
  afterAll(() => opened?.database.close());
}
