// GET /v1/jobs: the exact look-up by the client's ref, and the list newest first. Both can lag behind what was accepted, be spoilt or be absent.
import { z } from "zod";
import { chooseFault } from "../faults/choose.ts";
import { deliverList } from "../faults/read.ts";
import { settleDue } from "../jobs/settle.ts";
import { isLost } from "../jobs/state.ts";
import { viewOf } from "../jobs/view.ts";
import type { Provider } from "../provider.ts";
import type { Job } from "../record/jobs.ts";
import type { ListFault } from "../schema/faultNames.ts";
import type { Exchange } from "./exchange.ts";
import { json, refusal, whole, type Delivery } from "./reply.ts";
import { MomentMs } from "../schema/time.ts";

const DISABLED = whole(refusal(404, "not_found", "no such endpoint"));
const LOOK_UP_LIMIT = 100;

const ListQuery = z.object({
  created_after: MomentMs.optional(),
  created_before: MomentMs.optional(),
  model: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
  cursor: z.coerce.number().int().min(1).optional(),
});

export function lookUp(provider: Provider, exchange: Exchange): Delivery {
  const { record } = provider;
  const nowMs = Date.now();
  settleDue(record, nowMs);
  const ref = exchange.url.searchParams.get("ref") ?? "";
  const owner = record.jobs.findByRef(ref);
  const { requestId, operation } = exchange;

  const reference = owner?.reference ?? null;
  const n = record.requests.counted(requestId, operation, { subject: ref, reference, ref });
  const occasion = { place: "list", reference: reference ?? ref, n } as const;
  const fault = chooseFault(owner?.simulate.list.faults, record.settings.schedule(), occasion);
  record.requests.met(requestId, fault);
  const items = record.jobs.list({ ref, visibleAtMs: nowMs, limit: LOOK_UP_LIMIT }).filter((job) => !isLost(job));
  record.events.append("job.looked-up", { requestId, ref, reference, n, fault, found: items.length });

  if (record.settings.config().lookUp === "disabled") return DISABLED;
  return deliverList(fault, json(200, { items: items.map((job) => viewOf(provider, job, viewing(exchange, nowMs))) }));
}

export function list(provider: Provider, exchange: Exchange): Delivery {
  const { record } = provider;
  const nowMs = Date.now();
  settleDue(record, nowMs);
  const config = record.settings.config();
  if (config.list === "disabled") return DISABLED;
  const asked = ListQuery.safeParse(Object.fromEntries(exchange.url.searchParams));
  if (!asked.success) return whole(refusal(422, "invalid_request", z.prettifyError(asked.error)));

  const n = record.requests.counted(exchange.requestId, exchange.operation, { subject: "list" });
  const fault = chooseFault<ListFault>(undefined, record.settings.schedule(), { place: "list", reference: "list", n });
  record.requests.met(exchange.requestId, fault);
  const jobs = find(provider, asked.data, nowMs);
  record.events.append("job.listed", { requestId: exchange.requestId, n, fault, found: jobs.length });

  const items = jobs.map((job) => ({
    ...viewOf(provider, job, viewing(exchange, nowMs)),
    ...(config.echoInput ? { input: job.input } : {}),
  }));
  const next_cursor = jobs.length < asked.data.limit ? null : String(jobs.at(-1)?.seq);
  return deliverList(fault, json(200, { items, next_cursor }));
}

function find({ record }: Provider, asked: z.infer<typeof ListQuery>, nowMs: number): readonly Job[] {
  const jobs = record.jobs.list({
    visibleAtMs: nowMs,
    limit: asked.limit,
    ...(asked.model !== undefined && { model: asked.model }),
    ...(asked.created_after !== undefined && { createdAfterMs: asked.created_after }),
    ...(asked.created_before !== undefined && { createdBeforeMs: asked.created_before }),
    ...(asked.cursor !== undefined && { beforeSeq: asked.cursor }),
  });
  return jobs.filter((job) => !isLost(job));
}

function viewing(exchange: Exchange, nowMs: number): { origin: string; nowMs: number } {
  return { origin: exchange.origin, nowMs };
}
