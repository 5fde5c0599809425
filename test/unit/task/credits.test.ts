import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatCredits, least, micro, parseCredits } from "../../../operator/task/credits.ts";

describe("credits", () => {
  test.each([
    { text: "0", amount: 0n },
    { text: "0.05", amount: 50_000n },
    { text: "0.000001", amount: 1n },
    { text: "1", amount: 1_000_000n },
    { text: "10.5", amount: 10_500_000n },
    { text: "999999999999.999999", amount: 999_999_999_999_999_999n },
  ])("$text are $amount micro-credits, and back", ({ amount, text }) => {
    expect(parseCredits(text)).toBe(amount);
    expect(formatCredits(micro(amount))).toBe(text);
  });

  test.each(["", "1.", ".5", "01", "-1", "+1", "1e3", "0.0000001", "1000000000000", "1,5", " 1", "1 ", "١"])(
    "are not read from %j",
    (text) => {
      expect(parseCredits(text)).toBeUndefined();
    },
  );

  test("are written without needless zeros, and a loss with its sign", () => {
    expect(formatCredits(micro(1_500_000n))).toBe("1.5");
    expect(formatCredits(micro(-50_000n))).toBe("-0.05");
    expect(formatCredits(micro(-1_000_000n))).toBe("-1");
  });

  test("of any amount are read back as they were written", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 18n - 1n), (amount) => {
        expect(parseCredits(formatCredits(micro(amount)))).toBe(amount);
      }),
    );
  });

  test("of two, the smaller are the least", () => {
    expect(least(micro(1n), micro(2n))).toBe(1n);
    expect(least(micro(2n), micro(1n))).toBe(1n);
    expect(least(micro(2n), micro(2n))).toBe(2n);
  });
});
