// The cases of guards.test.ts against a mutant of the database, without jest: each mutant in a transaction that is rolled back.
// The same cases and the same judgement as the test's own, in a hundredth of its time.
import type { Client } from "pg";
import { CASES, isMet, refusalOf } from "../../integration/postgres/guard-cases.ts";
import type { Mutant } from "./mutant.ts";

/** The first case that the mutant fails. Throws when one fails without a mutant. */
export async function failedGuard(client: Client, { change }: Mutant): Promise<string | undefined> {
  return change.in === "database" ? firstFailed(client, change.sql) : undefined;
}

/** Throws unless every case is met by the schema as it is. */
export async function checkGuards(client: Client): Promise<void> {
  const failed = await firstFailed(client, "");
  if (failed !== undefined) throw new Error(`cannot judge: guards.test.ts is red without a mutant: ${failed}`);
}

async function firstFailed(client: Client, sql: string): Promise<string | undefined> {
  await client.query("begin");
  try {
    await client.query(sql);
    for (const one of CASES) {
      if (!isMet(one, await refusalOf(client, one))) return one.name;
    }
    return undefined;
  } finally {
    await client.query("rollback");
  }
}
