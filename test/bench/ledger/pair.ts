// One pair as the operator makes it: a hold is placed in one transaction, and settled in the next.
import type { Pool } from "pg";
import { lockAvailable } from "../../../operator/postgres/begin.ts";
import { inTransaction } from "../../../operator/postgres/fence.ts";
import type { Fence } from "../../../operator/postgres/fence.ts";
import { placeHold, resolveHold } from "../../../operator/postgres/ledger.ts";
import type { AttemptId } from "../../../operator/task/brand.ts";
import { CHARGED, HELD } from "./hall.ts";

export async function pair(pool: Pool, fence: Fence, attemptId: AttemptId, namespace: string): Promise<void> {
  const hold = { attemptId, namespace, amount: HELD };
  await inTransaction(pool, fence, async (transaction) => {
    if ((await lockAvailable(transaction, namespace)) < HELD) throw new Error("the account is empty");
    await placeHold(transaction, hold);
  });
  await inTransaction(pool, fence, (transaction) => resolveHold(transaction, hold, CHARGED));
}
