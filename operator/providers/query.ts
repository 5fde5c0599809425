// Reads the answer to a query. A reading that fails says nothing about the job; a word that is not known is not an end.
import { parseCredits } from "../task/credits.ts";
import type { Output, QueryOutcome } from "../task/outcome.ts";
import type { Adapter } from "./adapter.ts";
import { ExpressionFault, valueOf, type Expression, type Variables } from "./expression.ts";
import { fieldOf } from "./json.ts";
import { failureOf, isAbsence, isSuccess, replyOf, unanswered, withReply } from "./reply.ts";
import type { WireEnding } from "./wire.ts";

type Job = Extract<QueryOutcome, { readonly outcome: "job" }>;

const STATES: ReadonlyMap<unknown, Job["state"] | "missing"> = new Map([
  ["Queued", "queued"],
  ["Running", "running"],
  ["Succeeded", "succeeded"],
  ["Failed", "failed"],
  ["Cancelled", "cancelled"],
  ["Missing", "missing"],
]);

const MAX_OUTPUTS = 64;
const MAX_URL = 8192;
const MAX_TEXT = 256;

/** Pure. `url` is the query's own: outputs may be given as paths. */
export function readQuery(
  { query }: Adapter,
  ending: WireEnding,
  asked: { readonly variables: Variables; readonly url: URL },
  now: Date,
): QueryOutcome {
  if (ending.ending !== "answered") return failureOf(ending, now);
  const reply = replyOf(ending);
  if (isAbsence(reply))
    return { outcome: "missing", documented: saysMissing(query, withReply(asked.variables, reply)) };
  if (!isSuccess(reply) || reply.body === undefined) return failureOf(ending, now);

  return readJob(query, withReply(asked.variables, reply), asked.url);
}

function readJob(query: Adapter["query"], seen: Variables, url: URL): QueryOutcome {
  const word = valueOf(query.state, seen);
  if (typeof word !== "string") return unanswered("unreadable-state");
  const state = STATES.get(word) ?? "unrecognised";
  if (state === "missing") return { outcome: "missing", documented: true };

  const outputs = state === "succeeded" ? readOutputs(query.outputs, seen, url) : [];
  if (typeof outputs === "string") return unanswered(outputs);
  return {
    outcome: "job",
    state,
    progress: progressOf(valueOf(query.progress, seen)),
    outputs,
    cost: creditsOf(valueOf(query.cost, seen)),
    ref: textOf(valueOf(query.ref, seen)),
    failure: state === "failed" ? shortWord(valueOf(query.failure, seen)) : undefined,
  };
}

/** Whether the provider's author knows this answer as "no such job": a status alone may come from something on the way. */
function saysMissing({ state }: Adapter["query"], seen: Variables): boolean {
  return STATES.get(valueOf(state, seen)) === "missing";
}

// No outputs and outputs that cannot be read are two facts: the first ends a job as empty, the second must not.
function readOutputs(expression: Expression | undefined, seen: Variables, url: URL): readonly Output[] | string {
  if (!expression) return [];
  try {
    const items = expression(seen);
    if (!Array.isArray(items)) return items === null ? [] : "unreadable-outputs";
    if (items.length > MAX_OUTPUTS) return "too-many-outputs";
    const outputs = items.flatMap((item: unknown) => outputOf(item, url) ?? []);
    return outputs.length === items.length ? outputs : "unreadable-outputs";
  } catch (error) {
    return error instanceof ExpressionFault && error.code === "no_such_key" ? [] : "unreadable-outputs";
  }
}

function outputOf(item: unknown, base: URL): Output | undefined {
  const text = typeof item === "string" ? item : fieldOf(item, "url");
  if (typeof text !== "string" || text === "" || text.length > MAX_URL) return undefined;
  const url = URL.parse(text, base.origin);
  return url
    ? {
        url: url.href,
        name: textOf(fieldOf(item, "name")),
        mediaType: textOf(fieldOf(item, "mediaType")),
        bytes: countOf(fieldOf(item, "bytes")),
      }
    : undefined;
}

/** Undefined where none is shown, or one that is too long to be meant: then it says nothing for or against. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_TEXT ? value : undefined;
}

function countOf(value: unknown): number | undefined {
  const count = typeof value === "bigint" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function progressOf(value: unknown): number | undefined {
  const percent = typeof value === "bigint" ? Number(value) : value;
  return typeof percent === "number" && Number.isFinite(percent)
    ? Math.floor(Math.min(Math.max(percent, 0), 100))
    : undefined;
}

/** Credits as a decimal; a number is taken by the digits that it is written with. */
export function creditsOf(value: unknown): Job["cost"] {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  return typeof text === "string" ? parseCredits(text) : undefined;
}

const WORD = /^[A-Za-z0-9]+(?:[ _.:/-]+[A-Za-z0-9]+){0,5}$/;
const MAX_WORD = 64;

/** `content_policy` as `ContentPolicy`. A sentence may quote the prompt, and is not passed on. */
function shortWord(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_WORD || !WORD.test(value)) return undefined;
  return value
    .split(/[^A-Za-z0-9]+/)
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
    .join("");
}
