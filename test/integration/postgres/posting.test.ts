// I5: what one ledger transaction must be, tried with transactions that are not so.
import { describe, expect, test } from "@jest/globals";
import { inTransaction } from "../../../operator/postgres/fence.ts";
import { post } from "../../../operator/postgres/ledger.ts";
import type { Posting } from "../../../operator/postgres/ledger.ts";
import { NEVER } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

let desk: Desk;
ownDesk({}, (opened) => ({ desk } = opened));

let postings = 0;
const posting = (changes: Partial<Posting> = {}): Posting => ({
  namespace: "rules",
  operation: "grant",
  businessId: `rule-${(postings += 1)}`,
  inputs: { amount: "1" },
  moves: [
    { account: "grants", amount: -1n },
    { account: "revenue", amount: 1n },
  ],
  ...changes,
});
const postNow = (one: Posting) =>
  inTransaction(
    desk.pool,
    () => desk.epoch,
    (transaction) => post(transaction, one),
  );

describe("I5 one ledger transaction", () => {
  test("I5: the same business key is free for another tenant", async () => {
    const first = await postNow(posting({ businessId: "shared" }));
    const second = await postNow(posting({ businessId: "shared", namespace: "rules-2" }));
    expect([first, second]).toEqual([
      { transactionId: expect.anything(), replayed: false },
      { transactionId: expect.anything(), replayed: false },
    ]);
  });

  test.each([
    {
      when: "it does not sum to zero",
      moves: [
        { account: "grants", amount: -1n },
        { account: "revenue", amount: 2n },
      ],
    },
    {
      when: "an account does not exist",
      moves: [
        { account: "grants", amount: -1n },
        { account: "held", amount: 1n },
      ],
    },
  ] as const)("I5: a transaction is refused at commit when $when", async ({ moves }) => {
    await expect(postNow(posting({ moves }))).rejects.toMatchObject({ code: "REFUSED", sqlState: "GN005" });
  });

  test("I5: nothing can be added to a transaction later, balanced or not", async () => {
    const posted = await postNow(posting());
    if ("outcome" in posted) throw new Error("stale");
    const add = `insert into genop.entries (transaction_id, account_id, asset, amount)
                 select $1, id, asset, case kind when 'loss' then -5 else 5 end from genop.accounts
                  where namespace is null and kind in ('loss', 'provider-cost')`;
    await expect(desk.pool.query(add, [posted.transactionId])).rejects.toMatchObject({ code: "GN005" });
  });

  test("I5: a balance below zero is refused, and the whole transaction with it", async () => {
    await desk.grant("thin", 5n);
    const moves = [
      { account: "available", amount: -6n },
      { account: "grants", amount: 6n },
    ] as const;
    await expect(postNow(posting({ namespace: "thin", moves }))).rejects.toMatchObject({
      code: "REFUSED",
      constraint: "balances_never_negative",
    });
    expect(await desk.reports.accountStatement("thin", 1, NEVER)).toMatchObject({ available: 5n, held: 0n });
  });
});
