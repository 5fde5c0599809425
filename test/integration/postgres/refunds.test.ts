// F3: what was settled is given back by a decision: once, never more than was settled, and the loss is the platform's.
import { describe, expect, test } from "@jest/globals";
import { makeGrants } from "../../../operator/postgres/grants.ts";
import type { Grant, GrantOutcome } from "../../../operator/postgres/grants.ts";
import type { Beginning } from "../../../operator/reconcile/ports.ts";
import { micro } from "../../../operator/task/credits.ts";
import { NEVER, NOT_CREATED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

let desk: Desk;
ownDesk({}, (opened) => ({ desk } = opened));

let tenants = 0;

/** A wish whose only attempt settled 60 of the 100 that were held, of 1000. */
async function settled(): Promise<Beginning> {
  const namespace = `refunded-${(tenants += 1)}`;
  await desk.grant(namespace, 1000n);
  const beginning = wish({ namespace });
  await desk.books.end(await desk.accepted(beginning), { ...NOT_CREATED, reason: "JobFailed", charge: micro(60n) }, []);
  return beginning;
}

const refundOf = ({ key, namespace }: Beginning, amount: bigint, uid = `${namespace}-refund`): Grant => ({
  ...{ uid, namespace, amount: micro(amount), reason: "black" },
  refund: { taskKey: key, attempt: 1, by: "anna" },
});

const apply = (grant: Grant): Promise<GrantOutcome> => makeGrants(desk.pool, () => desk.epoch).apply(grant, NEVER);

async function available(namespace: string): Promise<bigint> {
  return (await desk.reports.accountStatement(namespace, 1, NEVER)).available;
}

async function platform(): Promise<Readonly<Record<string, bigint>>> {
  const { rows } = await desk.pool.query<{ kind: string; total: bigint }>(
    `select account.kind, coalesce(sum(entry.amount), 0) as total from genop.accounts account
       left join genop.entries entry on entry.account_id = account.id
      where account.namespace is null group by account.kind`,
  );
  return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
}

describe("F3 a refund", () => {
  test("F3: gives back, is the platform's loss, and says who decided and why", async () => {
    const beginning = await settled();
    const before = await platform();
    expect(await apply(refundOf(beginning, 40n))).toMatchObject({ outcome: "applied" });
    expect(await available(beginning.namespace)).toBe(980n);
    expect(await platform()).toEqual({
      ...before,
      revenue: (before.revenue ?? 0n) - 40n,
      "provider-cost": (before["provider-cost"] ?? 0n) + 40n,
      loss: (before.loss ?? 0n) - 40n,
    });
    const { rows } = await desk.pool.query(
      "select amount, reason, decided_by from genop.refunds where namespace = $1",
      [beginning.namespace],
    );
    expect(rows).toEqual([{ amount: 40n, reason: "black", decided_by: "anna" }]);
    const { lines } = await desk.reports.accountStatement(beginning.namespace, 1, NEVER);
    expect(lines).toMatchObject([{ operation: "refund", amount: 40n, balanceAfter: 980n }]);
    expect(await desk.problems()).toEqual([]);
  });

  test("F3: that is applied sixteen times at once is booked once, and answers with one transaction", async () => {
    const beginning = await settled();
    const grant = refundOf(beginning, 60n);
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => apply(grant)));
    expect(outcomes.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "already")).toHaveLength(15);
    expect(new Set(outcomes.map((one) => ("transactionId" in one ? one.transactionId : "none"))).size).toBe(1);
    expect(await available(beginning.namespace)).toBe(1000n);
  });

  test("F3: is bounded by what was settled, also when sixteen share it at once", async () => {
    const beginning = await settled();
    expect(await apply(refundOf(beginning, 61n))).toEqual({ outcome: "over-settled", left: 60n });
    const grants = Array.from({ length: 16 }, (_, index) => refundOf(beginning, 20n, `${beginning.key}-${index}`));
    const outcomes = await Promise.all(grants.map(apply));
    expect(outcomes.filter(({ outcome }) => outcome === "applied")).toHaveLength(3);
    expect(outcomes.filter(({ outcome }) => outcome === "over-settled")).toHaveLength(13);
    expect(await available(beginning.namespace)).toBe(1000n);
    expect(await desk.problems()).toEqual([]);
  });

  test.each([
    { field: "amount", changes: { amount: micro(61n) } },
    { field: "reason", changes: { reason: "white" } },
    { field: "by", by: "berta" },
  ])("F3: under a key that was used with another $field is refused, naming it", async ({ by, changes, field }) => {
    const grant = refundOf(await settled(), 60n);
    await apply(grant);
    const refund = { taskKey: grant.refund?.taskKey ?? "", attempt: 1, by: by ?? "anna" };
    expect(await apply({ ...grant, ...changes, refund })).toEqual({ outcome: "other-input", field });
  });

  test("F3: of an attempt that has not ended, is not there, or is another namespace's, has nothing to give", async () => {
    const beginning = await settled();
    const running = wish({ namespace: beginning.namespace });
    await desk.sent(running);
    const stranger = { ...refundOf(beginning, 1n), namespace: running.namespace };
    const refund = { taskKey: beginning.key, attempt: 2, by: "anna" };
    for (const grant of [
      refundOf(running, 1n),
      { ...stranger, refund },
      { ...refundOf(await settled(), 1n), namespace: beginning.namespace },
    ])
      expect(await apply(grant)).toEqual({ outcome: "nothing-settled" });
  });

  test("F3: is not booked by a deposed leader", async () => {
    const beginning = await settled();
    const grants = makeGrants(desk.pool, () => undefined);
    expect(await grants.apply(refundOf(beginning, 1n), NEVER)).toEqual({ outcome: "stale" });
  });
});
