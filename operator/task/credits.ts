// Credits as users write them (decimal strings, up to six places) and as we count them (integers). No floats on either side.
import type { MicroCredits } from "./brand.ts";

/** What a decimal string of credits looks like; also the pattern in the CRDs. */
export const CREDITS_PATTERN = /^(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?$/;

const PLACES = 6;
export const ZERO = 0n as MicroCredits;

/** An integer number of micro-credits as a branded amount. */
export function micro(amount: bigint): MicroCredits {
  return amount as MicroCredits;
}

/** Reads "0.05" as 50 000 micro-credits. Undefined when the text is not a decimal of at most six places. */
export function parseCredits(text: string): MicroCredits | undefined {
  if (!CREDITS_PATTERN.test(text)) return undefined;
  const [whole = "0", fraction = ""] = text.split(".");
  return micro(BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(PLACES, "0")));
}

/** Writes 50 000 micro-credits as "0.05"; the inverse of `parseCredits` on what it accepts. */
export function formatCredits(amount: MicroCredits): string {
  const digits = amount
    .toString()
    .replace("-", "")
    .padStart(PLACES + 1, "0");
  const whole = digits.slice(0, -PLACES);
  const fraction = digits.slice(-PLACES).replace(/0+$/, "");
  return `${amount < 0n ? "-" : ""}${whole}${fraction && `.${fraction}`}`;
}

/** The smaller of two amounts. */
export function least(one: MicroCredits, other: MicroCredits): MicroCredits {
  return one < other ? one : other;
}
