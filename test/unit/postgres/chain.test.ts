// The encoding of a block of the ledger, which never changes: anchors that were kept are compared with it.
import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { GENESIS, blockHash } from "../../../operator/postgres/chain.ts";
import type { ChainedTransaction } from "../../../operator/postgres/chain.ts";

const HOLD: ChainedTransaction = {
  id: 7n,
  namespace: "studio",
  operation: "hold",
  business_id: "attempt-1",
  inputs: { charge: "3", amount: "5", held: "5" },
  fingerprint: "f".repeat(64),
  entry_count: 2,
  epoch: 4n,
  posted_at: "2026-06-01T12:00:00.000001Z",
  entries: [["1", "studio", "available", "credit", "-5", "2", "95"]],
  hold: ["attempt-1", "5"],
  resolution: null,
};
const LINE =
  '["7","studio","hold","attempt-1",[["amount","5"],["charge","3"],["held","5"]],"' +
  "f".repeat(64) +
  '",2,"4","2026-06-01T12:00:00.000001Z",[["1","studio","available","credit","-5","2","95"]],["attempt-1","5"],null]';
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("a block", () => {
  test("is hashed as its version, its number, the hash before it, and a line for each transaction", () => {
    expect(GENESIS).toBe("0".repeat(64));
    expect(blockHash(1n, GENESIS, [HOLD])).toBe(sha256(`genop-ledger-block-1\n1\n${GENESIS}\n${LINE}\n`));
    expect(blockHash(2n, "a", [HOLD, HOLD])).toBe(sha256(`genop-ledger-block-1\n2\na\n${LINE}\n${LINE}\n`));
    expect(blockHash(3n, "a", [])).toBe(sha256("genop-ledger-block-1\n3\na\n"));
  });

  test("is the same whatever order the inputs come in", () => {
    const { amount = "", charge = "", held = "" } = HOLD.inputs;
    const orders = [
      { amount, charge, held },
      { held, charge, amount },
      { charge, held, amount },
    ];
    const hashes = orders.map((inputs) => blockHash(1n, GENESIS, [{ ...HOLD, inputs }]));
    expect(new Set(hashes)).toEqual(new Set([blockHash(1n, GENESIS, [HOLD])]));
  });

  test("is another one when anything at all in it is", () => {
    const changes: readonly Partial<ChainedTransaction>[] = [
      ...[{ id: 8n }, { namespace: "lab" }, { operation: "grant" }, { business_id: "x" }, { inputs: {} }],
      ...[{ fingerprint: "0" }, { entry_count: 3 }, { epoch: 5n }, { posted_at: "x" }, { entries: [] }],
      ...[{ hold: null }, { resolution: ["5", "3", "2", "0"] }],
    ];
    const hashes = [{}, ...changes].map((change) => blockHash(1n, GENESIS, [{ ...HOLD, ...change }]));
    hashes.push(blockHash(2n, GENESIS, [HOLD]), blockHash(1n, "1", [HOLD]), blockHash(1n, GENESIS, [HOLD, HOLD]));
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
