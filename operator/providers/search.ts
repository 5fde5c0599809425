// Reads the answer to a look for a lost job. A miss is evidence that money was not spent, so only a clear answer counts as one.
import type { AttemptId } from "../task/brand.ts";
import type { SearchOutcome } from "../task/outcome.ts";
import type { Adapter } from "./adapter.ts";
import { ExpressionFault, type Variables } from "./expression.ts";
import { jobIdOf } from "./job-id.ts";
import { failureOf, isAbsence, isSuccess, replyOf, unanswered, withReply, type Reply } from "./reply.ts";
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

function among(ids: readonly ReturnType<typeof jobIdOf>[]): SearchOutcome {
  const [jobId, ...others] = new Set(ids);
  if (jobId === undefined) return { outcome: "missed" };
  return others.length === 0 ? { outcome: "found", jobId } : { outcome: "several", count: others.length + 1 };
}

const MAX_ITEMS = 1000;

/** Looks for our own id among the entries of one page. Pure. */
export function readList(
  list: NonNullable<Adapter["list"]>,
  ending: WireEnding,
  sought: Sought,
  now: Date,
): SearchOutcome {
  if (ending.ending !== "answered") return failureOf(ending, now);
  const reply = replyOf(ending);
  if (!isSuccess(reply) || reply.body === undefined) return failureOf(ending, now);

  const seen = withReply(sought.variables, reply);
  const items = itemsOf(list, seen);
  if (typeof items === "string") return unanswered(items);
  const refs = items.map((item) => refOf(list, { ...seen, item }));
  // Entries without a reference are not ours; but if not one has any, what we read is not the reference.
  if (items.length > 0 && refs.every((ref) => ref === undefined)) return unanswered("unreadable-items");

  const ours = items.filter((_, index) => refs[index] === sought.attemptId);
  const ids = ours.map((item) => jobIdOf(idOf(list, { ...seen, item })));
  return ids.includes(undefined) ? unanswered("unreadable-items") : among(ids);
}

function itemsOf({ items }: NonNullable<Adapter["list"]>, seen: Variables): readonly unknown[] | string {
  try {
    const value = items(seen);
    if (!Array.isArray(value)) return "unreadable-items";
    return value.length > MAX_ITEMS ? "too-many-items" : value;
  } catch {
    return "unreadable-items";
  }
}

function refOf({ ref }: NonNullable<Adapter["list"]>, seen: Variables): string | undefined {
  try {
    const value = ref(seen);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function idOf({ jobID }: NonNullable<Adapter["list"]>, seen: Variables): unknown {
  try {
    return jobID(seen);
  } catch {
    return undefined;
  }
}
