// Credits on the wire are decimal strings; here they are whole millionths, so that sums are exact.

const PLACES = 6;

/** Millionths of a credit from a decimal string such as "0.10"; the caller has checked its form. */
export function microOf(amount: string): bigint {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(PLACES, "0"));
}

/** A decimal string with at least two places. */
export function amountOf(micro: bigint): string {
  const digits = micro.toString().padStart(PLACES + 1, "0");
  const fraction = digits.slice(-PLACES).replace(/0{1,4}$/, "");
  return `${digits.slice(0, -PLACES)}.${fraction}`;
}
