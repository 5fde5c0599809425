// One entry of the quota ConfigMap: YAML that a person typed, read into a Quota or refused with a sentence.
import { parse, YAMLParseError } from "yaml";
import { Quota } from "../task/quota.ts";
import { bounded, sentenceOf } from "./problems.ts";

export type QuotaText =
  { readonly outcome: "good"; readonly quota: Quota } | { readonly outcome: "bad"; readonly message: string };

const MAX_BYTES = 64 * 1024;
const MAX_MESSAGE = 512;

/** An empty entry is one without limits. Aliases are refused: ten lines of them unfold to more than memory. */
export function readQuotaText(provider: string, text: string): QuotaText {
  const bad = (why: string): QuotaText => ({
    outcome: "bad",
    message: bounded(`cannot use quota ${provider}: ${why}`, MAX_MESSAGE),
  });
  if (Buffer.byteLength(text) > MAX_BYTES) return bad(`it is larger than ${MAX_BYTES / 1024} KiB`);

  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0, prettyErrors: false, logLevel: "error" });
  } catch (error) {
    return bad(whyUnreadable(error));
  }
  const quota = Quota.safeParse(value ?? {});
  if (quota.success) return { outcome: "good", quota: quota.data };
  return { outcome: "bad", message: sentenceOf(quota.error, { what: `use quota ${provider}`, root: "" }) };
}

function whyUnreadable(error: unknown): string {
  if (error instanceof YAMLParseError) return `${error.message} at character ${error.pos[0]}`;
  return error instanceof ReferenceError ? "it uses an alias: write the limits out" : "it is not YAML";
}
