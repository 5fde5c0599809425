// Reads the answer to a look for a lost job. A miss is evidence that money was not spent, so only a clear answer counts as one.
import type { AttemptId, ProviderJobId } from "../task/brand.ts";
import type { SearchOutcome } from "../task/outcome.ts";
import type { Adapter } from "./adapter.ts";
import { ExpressionFault, valueOf, type Variables } from "./expression.ts";
import { jobIdOf } from "./job-id.ts";
import { itemsOf, nextOf } from "./page.ts";
import {
  failureOf,
  isAbsence,
  isSuccess,
  replyOf,
  unanswered,
  withReply,
  type Reply,
  type Unanswered,
} from "./reply.ts";
import type { WireEnding } from "./wire.ts";

export interface Sought {
  readonly attemptId: AttemptId;
  readonly variables: Variables;
}

/** Pure. */
export function readLookUp(
  lookUp: NonNullable<Adapter["lookUp"]>,
  ending: WireEnding,
  sought: Sought,
  now: Date,
): SearchOutcome {
  if (ending.ending !== "answered") return failureOf(ending, now);
  const reply = replyOf(ending);
  const mayTell = (isSuccess(reply) && reply.body !== undefined) || isAbsence(reply);
  if (!mayTell) return failureOf(ending, now);
  const outcome = candidates(lookUp, reply, sought.variables);
  // An error status may say that there is no job, if the expression reads it so; it cannot name one.
  return isSuccess(reply) || outcome?.outcome === "missed"
    ? (outcome ?? failureOf(ending, now))
    : failureOf(ending, now);
}

function candidates(
  { jobID }: NonNullable<Adapter["lookUp"]>,
  reply: Reply,
  variables: Variables,
): SearchOutcome | undefined {
  try {
    const value = jobID(withReply(variables, reply));
    if (value === null || value === "") return { outcome: "missed" };
    const ids = (Array.isArray(value) ? value : [value]).map(jobIdOf);
    return ids.includes(undefined) ? undefined : among(ids);
  } catch (error) {
    // `items[0]` of a list that is empty.
    const isEmpty = error instanceof ExpressionFault && error.code === "index_out_of_bounds";
    return isEmpty && isSuccess(reply) ? { outcome: "missed" } : undefined;
  }
}

/** What is known once all that could be ours was seen. */
export function among(ids: readonly (ProviderJobId | undefined)[]): SearchOutcome {
  const [jobId, ...others] = new Set(ids);
  if (jobId === undefined) return { outcome: "missed" };
  return others.length === 0 ? { outcome: "found", jobId } : { outcome: "several", count: others.length + 1 };
}

/** One page of a list: the jobs on it that are ours, or look like it, and the path of the page after it. */
export type Page =
  { readonly outcome: "page"; readonly ids: readonly ProviderJobId[]; readonly next: string | undefined } | Unanswered;

/** Pure. */
export function readPage(list: NonNullable<Adapter["list"]>, ending: WireEnding, sought: Sought, now: Date): Page {
  if (ending.ending !== "answered") return failureOf(ending, now);
  const reply = replyOf(ending);
  if (!isSuccess(reply) || reply.body === undefined) return failureOf(ending, now);

  const seen = withReply(sought.variables, reply);
  const items = itemsOf(list, seen);
  if (typeof items === "string") return unanswered(items);
  const marks = items.map((item) => isOurs(list, { ...seen, item }, sought.attemptId));
  // Entries that can't be read are not ours; but if not one can be, what we read is not what the author meant.
  if (items.length > 0 && marks.every((mark) => mark === undefined)) return unanswered("unreadable-items");

  const ours = items.filter((_, index) => marks[index] === true);
  const ids = ours.flatMap((item) => jobIdOf(valueOf(list.jobID, { ...seen, item })) ?? []);
  const next = nextOf(list, seen);
  return ids.length < ours.length || next === null ? unanswered("unreadable-items") : { outcome: "page", ids, next };
}

/** By our own id where the list shows it, else by likeness. Undefined: neither can be read. */
function isOurs(
  { match, ref }: NonNullable<Adapter["list"]>,
  seen: Variables,
  attemptId: AttemptId,
): boolean | undefined {
  const shown = valueOf(ref, seen);
  if (typeof shown === "string" && (shown !== "" || !match)) return shown === attemptId;
  const looks = valueOf(match, seen);
  return typeof looks === "boolean" ? looks : undefined;
}
