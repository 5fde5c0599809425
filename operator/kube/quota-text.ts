// One entry of the quota ConfigMap: YAML that a person typed, read into limits or refused with a sentence.
import { parse, YAMLParseError } from "yaml";
import type { z } from "zod";
import { BUDGETS_ENTRY, Budgets } from "../task/budget.ts";
import { Quota } from "../task/quota.ts";
import { bounded, sentenceOf } from "./problems.ts";

export type EntryText<Value> =
  { readonly outcome: "good"; readonly value: Value } | { readonly outcome: "bad"; readonly message: string };

const MAX_BYTES = 64 * 1024;
const MAX_MESSAGE = 512;

/** The limits of a provider. */
export function readQuotaText(provider: string, text: string): EntryText<Quota> {
  return readEntry(`quota ${provider}`, text, Quota);
}

/** The budgets of all namespaces. */
export function readBudgetsText(text: string): EntryText<Budgets> {
  return readEntry(`quota ${BUDGETS_ENTRY}`, text, Budgets);
}

/** An empty entry is one without limits. Aliases are refused: ten lines of them unfold to more than memory. */
function readEntry<Value>(what: string, text: string, schema: z.ZodType<Value>): EntryText<Value> {
  const bad = (why: string): EntryText<Value> => ({
    outcome: "bad",
    message: bounded(`cannot use ${what}: ${why}`, MAX_MESSAGE),
  });
  if (Buffer.byteLength(text) > MAX_BYTES) return bad(`it is larger than ${MAX_BYTES / 1024} KiB`);

  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0, prettyErrors: false, logLevel: "error" });
  } catch (error) {
    return bad(whyUnreadable(error));
  }
  const limits = schema.safeParse(value ?? {});
  if (limits.success) return { outcome: "good", value: limits.data };
  return { outcome: "bad", message: sentenceOf(limits.error, { what: `use ${what}`, root: "" }) };
}

function whyUnreadable(error: unknown): string {
  if (error instanceof YAMLParseError) return `${error.message} at character ${error.pos[0]}`;
  return error instanceof ReferenceError ? "it uses an alias: write the limits out" : "it is not YAML";
}
