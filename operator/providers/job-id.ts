// The one place where a provider's job id is born.
import type { ProviderJobId } from "../task/brand.ts";

const JOB_ID = /^[\x21-\x7e]{1,512}$/;

/** Visible ASCII, or an integer that was not rounded; anything else is no id. */
export function jobIdOf(value: unknown): ProviderJobId | undefined {
  const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
  const text = isWhole ? String(value) : value;
  return typeof text === "string" && JOB_ID.test(text) ? (text as ProviderJobId) : undefined;
}
