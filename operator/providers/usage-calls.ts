// Reads what a provider billed in a span of time, page by page to its end: a part of a bill would show jobs as missing, and lines of
// the same moment as the same. That an account may not read its bill does not lock it out of anything else.
import type { Dispatcher } from "undici";
import type { BilledLine } from "../task/bill.ts";
import type { AccountDeps } from "./account-deps.ts";
import { makeGet } from "./get.ts";
import { inSlot } from "./in-slot.ts";
import { unanswered, type Unanswered } from "./reply.ts";
import { readUsagePage } from "./usage.ts";

/** From `from` on, before `to`. */
export interface UsageSpan {
  readonly from: Date;
  readonly to: Date;
}

export type UsageOutcome =
  | { readonly outcome: "lines"; readonly lines: readonly BilledLine[] }
  /** More pages than are read of one span. */
  | { readonly outcome: "overlong" }
  | Unanswered;

/** Does not reject. */
export type ReadUsage = (span: UsageSpan, signal: AbortSignal) => Promise<UsageOutcome>;

export function makeUsageCall(deps: AccountDeps, dispatcher: Dispatcher): ReadUsage {
  const { usage } = deps.adapter;
  const get = makeGet(deps, (wire, signal) => inSlot(deps, dispatcher, wire, signal));
  return async ({ from, to }, signal) => {
    if (!usage) return unanswered("not-configured");
    const variables = { usage: { from: new Date(from), to: new Date(to) } };
    const lines: BilledLine[] = [];
    let path = (): unknown => usage.path(variables);
    for (let pages = 0; pages < usage.maxPages; pages += 1) {
      const page = await get(path, (ending, now) => readUsagePage(usage, ending, variables, now), signal);
      if (page.outcome !== "page") return page;
      lines.push(...page.lines);
      const { next } = page;
      if (next === undefined) return { outcome: "lines", lines };
      path = () => next;
    }
    return { outcome: "overlong" };
  };
}
