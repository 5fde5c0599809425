// What an attempt's end costs, and which ends prove that no job exists.
import { expect, test } from "@jest/globals";
import { END_REASONS, provesAbsence } from "../../../operator/task/attempt.ts";
import { chargeOf } from "../../../operator/task/charge.ts";
import { micro } from "../../../operator/task/credits.ts";
import { accepted } from "../../builders/seen.ts";

const HELD = accepted().held;

test.each([
  { reason: "Succeeded", charge: HELD },
  { reason: "OutputsUnusable", charge: HELD },
  { reason: "Orphaned", charge: HELD },
  { reason: "JobFailed", charge: 0n },
  { reason: "Cancelled", charge: 0n },
  { reason: "NotCreated", charge: 0n },
  { reason: "Refused", charge: 0n },
  { reason: "JobLost", charge: 0n },
  { reason: "WrittenOff", charge: 0n },
] as const)("an end as $reason costs $charge of what was held, unless the provider says what it billed", (row) => {
  expect(chargeOf(accepted(), row.reason, undefined)).toBe(row.charge);
  expect(chargeOf(accepted(), row.reason, micro(7n))).toBe(7n);
  expect(chargeOf(accepted(), row.reason, micro(0n))).toBe(0n);
});

test("only what was refused or never created proves that no job exists", () => {
  expect(END_REASONS.filter(provesAbsence)).toEqual(["NotCreated", "Refused"]);
});
