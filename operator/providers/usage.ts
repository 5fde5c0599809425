// Reads a page of a provider's usage export. A line that can't be read leaves the whole page unread: it would be a payment that is lost
// without a word.
import type { BilledLine } from "../task/bill.ts";
import type { Adapter } from "./adapter.ts";
import type { Variables } from "./expression.ts";
import { jobIdOf } from "./job-id.ts";
import { itemsOf, nextOf } from "./page.ts";
import { creditsOf, textOf } from "./query.ts";
import { failureOf, isSuccess, replyOf, unanswered, withReply, type Unanswered } from "./reply.ts";
import type { WireEnding } from "./wire.ts";

type Usage = NonNullable<Adapter["usage"]>;

export type UsagePage =
  { readonly outcome: "page"; readonly lines: readonly BilledLine[]; readonly next: string | undefined } | Unanswered;

/** Pure. */
export function readUsagePage(usage: Usage, ending: WireEnding, variables: Variables, now: Date): UsagePage {
  if (ending.ending !== "answered") return failureOf(ending, now);
  const reply = replyOf(ending);
  if (!isSuccess(reply) || reply.body === undefined) return failureOf(ending, now);

  const seen = withReply(variables, reply);
  const items = itemsOf(usage, seen);
  if (typeof items === "string") return unanswered(items);
  const lines = items.flatMap((item) => lineOf(usage, { ...seen, item }) ?? []);
  const next = nextOf(usage, seen);
  return lines.length < items.length || next === null
    ? unanswered("unreadable-items")
    : { outcome: "page", lines, next };
}

function lineOf({ amount, billedAt, jobID, ref }: Usage, seen: Variables): BilledLine | undefined {
  try {
    const jobId = jobIdOf(jobID(seen));
    const credits = creditsOf(amount(seen));
    const moment = momentOf(billedAt(seen));
    if (jobId === undefined || credits === undefined || moment === undefined) return undefined;
    return { jobId, amount: credits, billedAt: moment, ref: textOf(ref?.(seen)) };
  } catch {
    return undefined;
  }
}

/** With its zone: a local time would move with the operator's. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:?\d{2}))?$/;

// A Date of CEL's may be of another realm.
function momentOf(value: unknown): Date | undefined {
  const isDate = Object.prototype.toString.call(value) === "[object Date]";
  const text = typeof value === "string" && MOMENT.test(value) ? value : undefined;
  const moment = new Date(isDate ? Number(value) : (text ?? NaN));
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}
