// GET /v1/usage: the provider's bill, one line per billed job, as JSON or CSV. This is what an operator reconciles its books with.
import { z } from "zod";
import { settleDue } from "../jobs/settle.ts";
import type { Provider } from "../provider.ts";
import type { BillRecord } from "../record/bills.ts";
import type { Exchange } from "./exchange.ts";
import { json, refusal, whole, type Delivery } from "./reply.ts";
import { MomentMs } from "../schema/time.ts";

const UsageQuery = z.object({
  from: MomentMs.optional(),
  to: MomentMs.optional(),
  format: z.enum(["json", "csv"]).default("json"),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
  cursor: z.coerce.number().int().min(0).default(0),
});

export function usage({ record }: Provider, exchange: Exchange): Delivery {
  settleDue(record, Date.now());
  const asked = UsageQuery.safeParse(Object.fromEntries(exchange.url.searchParams));
  if (!asked.success) return whole(refusal(422, "invalid_request", z.prettifyError(asked.error)));

  const { cursor, from: fromMs, limit, to: toMs } = asked.data;
  const all = record.bills.list({ fromMs, toMs }).map(usageLine);
  const items = all.slice(cursor, limit === undefined ? undefined : cursor + limit);
  const end = cursor + items.length;
  if (asked.data.format === "json")
    return whole(json(200, { items, next_cursor: end < all.length ? String(end) : null }));

  const lines = items.map((item) => COLUMNS.map((column) => quoted(item[column] ?? "")).join(","));
  const body = [COLUMNS.join(","), ...lines].map((line) => `${line}\r\n`).join("");
  return whole({ status: 200, headers: { "content-type": "text/csv; charset=utf-8" }, body });
}

const COLUMNS = ["job_id", "ref", "model", "amount", "billed_at"] as const;

function usageLine(bill: BillRecord): Readonly<Record<(typeof COLUMNS)[number], string | null>> {
  return { job_id: bill.jobId, ref: bill.ref, model: bill.model, amount: bill.amount, billed_at: bill.at };
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
