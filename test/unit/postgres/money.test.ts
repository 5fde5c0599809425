// What a charge does to a hold, for any amounts: nothing appears, nothing is lost, the tenant never pays beyond the hold.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { movesOfResolution, resolutionOf } from "../../../operator/postgres/ledger.ts";
import { micro } from "../../../operator/task/credits.ts";

const amount = fc.bigInt(0n, 10n ** 18n).map(micro);

test("a hold is settled and released whole, and what is beyond it is the platform's loss", () => {
  fc.assert(
    fc.property(amount, amount, (held, charge) => {
      const { excess, released, settled } = resolutionOf(held, charge);
      expect(settled + released).toBe(held);
      expect(settled + excess).toBe(charge);
      expect([settled, released, excess].every((part) => part >= 0n)).toBe(true);
    }),
  );
});

test("the moves of a resolution sum to zero, touch each account once, and move nothing by nothing", () => {
  fc.assert(
    fc.property(amount, amount, (held, charge) => {
      const moves = movesOfResolution(resolutionOf(held, charge));
      expect(moves.reduce((sum, move) => sum + move.amount, 0n)).toBe(0n);
      expect(new Set(moves.map(({ account }) => account)).size).toBe(moves.length);
      expect(moves.every((move) => move.amount !== 0n)).toBe(true);
      const payable = moves.find(({ account }) => account === "provider-payable")?.amount ?? 0n;
      expect(payable).toBe(charge);
    }),
  );
});
