// What the ledger is given to write: the values of its statements, for each operation.
import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { PostgresFault } from "../../../operator/postgres/faults.ts";
import { movesOfResolution, placeHold, post, resolutionOf, resolveHold } from "../../../operator/postgres/ledger.ts";
import type { Posting } from "../../../operator/postgres/ledger.ts";
import type { AttemptId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { recorder } from "./recorder.ts";
import type { Recorder } from "./recorder.ts";

const ATTEMPT = "00000000-0000-4000-8000-000000000001" as AttemptId;
const GRANT: Posting = {
  namespace: "studio",
  operation: "grant",
  businessId: "grant-1",
  inputs: { reason: "monthly", amount: "5" },
  moves: [
    { account: "grants", amount: -5n },
    { account: "available", amount: 5n },
  ],
};
const TEXT = '{"amount":"5","reason":"monthly"}';
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The header of a posting comes back as number 7; `before`: one was there already. */
function ledger(before?: object): Recorder {
  return recorder([
    [/insert into genop\.ledger_transactions [\s\S]*insert into genop\.entries /, before ? [] : [{ id: 7n }]],
    [/^select id, fingerprint, inputs from genop\.ledger_transactions\s+where namespace = /, before ? [before] : []],
    [/^insert into genop\.holds /, []],
    [/^insert into genop\.hold_resolutions /, []],
  ]);
}

describe("a posting", () => {
  test("is written with its inputs in order, their hash, its moves and the term", async () => {
    const { runs, transaction } = ledger();
    expect(await post(transaction, GRANT)).toEqual({ transactionId: 7n, replayed: false });
    const moves = [
      ["grants", "available"],
      ["-5", "5"],
    ];
    expect(runs.map(({ values }) => values)).toEqual([
      ["studio", "grant", "grant-1", TEXT, sha256(TEXT), ...moves, 4n],
    ]);
  });

  test("that was there before is the first one, found by its business key", async () => {
    const { runs, transaction } = ledger({ id: 3n, fingerprint: sha256(TEXT), inputs: GRANT.inputs });
    expect(await post(transaction, GRANT)).toEqual({ transactionId: 3n, replayed: true });
    expect(runs[1]?.values).toEqual(["studio", "grant", "grant-1"]);
  });

  test.each([
    { before: { amount: "6", reason: "monthly" }, field: "amount" },
    { before: { amount: "5", reason: "weekly" }, field: "reason" },
    { before: { amount: "6", reason: "weekly" }, field: "amount" },
    { before: { amount: "5" }, field: "reason" },
    { before: { ...GRANT.inputs, note: "more" }, field: "note" },
    { before: GRANT.inputs, field: "inputs" },
  ])("whose key stands for $before is refused by the field $field", async ({ before, field }) => {
    const { transaction } = ledger({ id: 3n, fingerprint: "another", inputs: before });
    await expect(post(transaction, GRANT)).rejects.toEqual(new PostgresFault("KEY_REUSED", { about: field }));
  });

  test("that is neither written nor there is no posting", async () => {
    const { transaction } = recorder([[/genop\.ledger_transactions/, []]]);
    await expect(post(transaction, GRANT)).rejects.toThrow("cannot replay a ledger transaction: it is not there");
  });
});

describe("a hold", () => {
  const hold = { attemptId: ATTEMPT, namespace: "studio", amount: micro(5n) };
  const FREE = { ...hold, amount: micro(0n) };

  test("moves its amount from what is available to what is held, and is kept beside its attempt", async () => {
    const { runs, transaction } = ledger();
    await placeHold(transaction, hold);
    const text = '{"amount":"5"}';
    const moves = [
      ["available", "held"],
      ["-5", "5"],
    ];
    expect(runs.map(({ values }) => values)).toEqual([
      ["studio", "hold", ATTEMPT, text, sha256(text), ...moves, 4n],
      [ATTEMPT, "studio", 5n, 7n],
    ]);
  });

  test("of nothing moves nothing, and is kept all the same", async () => {
    const { runs, transaction } = ledger();
    await placeHold(transaction, FREE);
    expect(runs.map(({ values }) => values)).toEqual([[ATTEMPT, "studio", 0n, null]]);
  });

  test("is resolved into what is paid and what goes back", async () => {
    const { runs, transaction } = ledger();
    await resolveHold(transaction, hold, micro(3n));
    const text = '{"charge":"3","held":"5"}';
    const accounts = ["held", "available", "revenue", "provider-cost", "provider-payable"];
    expect(runs.map(({ values }) => values)).toEqual([
      ["studio", "resolve", ATTEMPT, text, sha256(text), accounts, ["-5", "2", "3", "-3", "3"], 4n],
      [ATTEMPT, 5n, 3n, 2n, 0n, 7n],
    ]);
  });

  test("of nothing, charged nothing, is resolved without a posting", async () => {
    const { runs, transaction } = ledger();
    await resolveHold(transaction, FREE, micro(0n));
    expect(runs.map(({ values }) => values)).toEqual([[ATTEMPT, 0n, 0n, 0n, 0n, null]]);
  });

  test("of nothing, charged all the same, is the platform's loss", async () => {
    const { runs, transaction } = ledger();
    await resolveHold(transaction, FREE, micro(3n));
    expect(runs[1]?.values).toEqual([ATTEMPT, 0n, 0n, 0n, 3n, 7n]);
  });
});

test.each([
  { held: 5n, charge: 0n, moves: { held: -5n, available: 5n } },
  {
    ...{ held: 5n, charge: 5n },
    moves: { held: -5n, revenue: 5n, "provider-cost": -5n, "provider-payable": 5n },
  },
  {
    ...{ held: 5n, charge: 9n },
    moves: { held: -5n, revenue: 5n, "provider-cost": -5n, loss: -4n, "provider-payable": 9n },
  },
])("$held held and $charge charged move $moves", ({ charge, held, moves }) => {
  const told = movesOfResolution(resolutionOf(micro(held), micro(charge)));
  expect(Object.fromEntries(told.map(({ account, amount }) => [account, amount]))).toEqual(moves);
});
