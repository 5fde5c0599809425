// I5: the ledger balances. Holds, settlements, replays and races over real Postgres.
import { describe, expect, test } from "@jest/globals";
import { inTransaction } from "../../../operator/postgres/fence.ts";
import { makeGrants } from "../../../operator/postgres/grants.ts";
import { placeHold, resolveHold } from "../../../operator/postgres/ledger.ts";
import { micro } from "../../../operator/task/credits.ts";
import { NEVER, NOT_CREATED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

let desk: Desk;
ownDesk({}, (opened) => ({ desk } = opened));

async function platformBalances(): Promise<Record<string, bigint>> {
  const { rows } = await desk.pool.query<{ kind: string; sum: bigint }>(
    `select account.kind, coalesce(sum(entry.amount), 0) as sum
       from genop.accounts account left join genop.entries entry on entry.account_id = account.id
      where account.namespace is null group by account.kind`,
  );
  return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
}

async function balances(namespace: string): Promise<{ available: bigint; held: bigint }> {
  const { available, held } = await desk.reports.accountStatement(namespace, 1, NEVER);
  return { available, held };
}

describe("I5 the ledger balances", () => {
  test.each([
    { when: "less than was held is billed", charge: 30n, available: 970n, settled: 30n, released: 70n, loss: 0n },
    { when: "all is billed", charge: 100n, available: 900n, settled: 100n, released: 0n, loss: 0n },
    { when: "more than was held is billed", charge: 130n, available: 900n, settled: 100n, released: 0n, loss: 30n },
    { when: "nothing is billed", charge: 0n, available: 1000n, settled: 0n, released: 100n, loss: 0n },
  ])(
    "I5: when $when, the tenant never pays more than the hold",
    async ({ available, charge, loss, released, settled }) => {
      const namespace = `bill-${charge}`;
      await desk.grant(namespace, 1000n);
      const before = await platformBalances();
      const beginning = wish({ namespace });
      const accepted = await desk.accepted(beginning);
      expect(await balances(namespace)).toEqual({ available: 900n, held: 100n });
      await desk.books.end(accepted, { ...NOT_CREATED, reason: "JobFailed", charge: micro(charge) }, []);
      expect(await balances(namespace)).toEqual({ available, held: 0n });
      expect((await desk.books.load(beginning.key, NEVER)).credits).toEqual({ reserved: 100n, settled, released });
      expect(await platformBalances()).toEqual({
        ...before,
        revenue: (before.revenue ?? 0n) + settled,
        "provider-cost": (before["provider-cost"] ?? 0n) - settled,
        loss: (before.loss ?? 0n) - loss,
        "provider-payable": (before["provider-payable"] ?? 0n) + charge,
      });
      expect(await desk.problems()).toEqual([]);
    },
  );

  test("I5: sixteen clients on one account hold what is there, and not a credit more", async () => {
    await desk.grant("crowd", 1050n);
    const beginnings = Array.from({ length: 16 }, () => wish({ namespace: "crowd" }));
    const outcomes = await Promise.all(beginnings.map((beginning) => desk.books.begin(beginning, NEVER)));
    expect(outcomes.filter(({ outcome }) => outcome === "begun")).toHaveLength(10);
    expect(outcomes.filter(({ outcome }) => outcome === "short")).toHaveLength(6);
    expect(await balances("crowd")).toEqual({ available: 50n, held: 1000n });
    expect(await desk.problems()).toEqual([]);
  });

  test("I5: a grant that is applied sixteen times at once adds once, and answers with one transaction", async () => {
    const grants = makeGrants(desk.pool, () => desk.epoch);
    const grant = { uid: "grant-once", namespace: "granted", amount: micro(500n), reason: "october" };
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => grants.apply(grant, NEVER)));
    expect(outcomes.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    expect(new Set(outcomes.map((one) => ("transactionId" in one ? one.transactionId : "none"))).size).toBe(1);
    expect(await balances("granted")).toEqual({ available: 500n, held: 0n });
  });

  test.each([
    { field: "amount", changes: { amount: micro(501n) } },
    { field: "reason", changes: { reason: "november" } },
  ])("I5: the same grant with another $field is refused, naming it", async ({ changes, field }) => {
    const grants = makeGrants(desk.pool, () => desk.epoch);
    const grant = { uid: `regrant-${field}`, namespace: "regranted", amount: micro(500n), reason: "october" };
    await grants.apply(grant, NEVER);
    expect(await grants.apply({ ...grant, ...changes }, NEVER)).toEqual({ outcome: "other-input", field });
  });

  test("I5: a hold resolves once, even past the checks of the books", async () => {
    await desk.grant("once", 1000n);
    const { id } = await desk.begun(wish({ namespace: "once" }));
    const hold = { attemptId: id, namespace: "once", amount: micro(100n) };
    const again = (charge: bigint) =>
      inTransaction(
        desk.pool,
        () => desk.epoch,
        (transaction) => resolveHold(transaction, hold, micro(charge)),
      );
    await again(0n);
    await expect(again(0n)).rejects.toMatchObject({ constraint: "hold_resolutions_pkey" });
    await expect(again(10n)).rejects.toMatchObject({ code: "KEY_REUSED", about: "charge" });
    const place = inTransaction(
      desk.pool,
      () => desk.epoch,
      (transaction) => placeHold(transaction, hold),
    );
    await expect(place).rejects.toMatchObject({ constraint: "holds_pkey" });
    expect(await balances("once")).toEqual({ available: 1000n, held: 0n });
  });

  test("I5: an end that comes twice settles once; another end is stale", async () => {
    await desk.grant("twice", 1000n);
    const accepted = await desk.accepted(wish({ namespace: "twice" }));
    const ending = { ...NOT_CREATED, reason: "JobFailed", charge: micro(40n) } as const;
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => desk.books.end(accepted, ending, [])));
    expect(outcomes).toMatchObject(outcomes.map(() => ({ outcome: "done" })));
    expect(await desk.books.end(accepted, { ...ending, charge: micro(41n) }, [])).toEqual({ outcome: "stale" });
    expect(await balances("twice")).toEqual({ available: 960n, held: 0n });
  });

  test("I5: a hold of a mixed crowd of begins and ends never leaves a balance astray", async () => {
    await desk.grant("mixed", 800n);
    const first = await Promise.all(Array.from({ length: 8 }, () => desk.accepted(wish({ namespace: "mixed" }))));
    const ending = { ...NOT_CREATED, reason: "JobFailed", charge: micro(50n) } as const;
    await Promise.all([
      ...first.map((accepted) => desk.books.end(accepted, ending, [])),
      ...Array.from({ length: 8 }, () => desk.books.begin(wish({ namespace: "mixed" }), NEVER)),
    ]);
    const { available, held } = await balances("mixed");
    expect(available + held).toBe(400n);
    expect(await desk.problems()).toEqual([]);
  });

  test("the statement shows how the balance came to be, the newest line first", async () => {
    await desk.grant("told", 300n);
    const { id } = await desk.begun(wish({ namespace: "told" }));
    const { available, held, lines } = await desk.reports.accountStatement("told", 10, NEVER);
    expect({ available, held }).toEqual({ available: 200n, held: 100n });
    expect(
      lines.map(({ account, amount, balanceAfter, operation }) => [operation, account, amount, balanceAfter]),
    ).toEqual([
      ["hold", "available", -100n, 200n],
      ["hold", "held", 100n, 100n],
      ["grant", "available", 300n, 300n],
    ]);
    expect(lines[0]?.businessId).toBe(id);
    expect((await desk.reports.accountStatement("told", 1, NEVER)).lines).toHaveLength(1);
    expect(await desk.reports.accountStatement("nobody", 5, NEVER)).toEqual({ available: 0n, held: 0n, lines: [] });
  });
});
