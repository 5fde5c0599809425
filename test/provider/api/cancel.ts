// POST /v1/jobs/{id}/cancel: a request that takes effect later and may lose the race against completion.
import { chooseFault } from "../faults/choose.ts";
import { settleDue } from "../jobs/settle.ts";
import { stateAt } from "../jobs/state.ts";
import type { Provider } from "../provider.ts";
import type { Job } from "../record/jobs.ts";
import type { CancelFault } from "../schema/faultNames.ts";
import { unreachable } from "../unreachable.ts";
import type { Exchange } from "./exchange.ts";
import { NO_SUCH_JOB } from "./query.ts";
import { json, refusal, whole, type Delivery } from "./reply.ts";

const OVER = whole(refusal(409, "already_completed", "the job is over"));

export function cancel(provider: Provider, exchange: Exchange): Delivery {
  const { record, clerk } = provider;
  const nowMs = Date.now();
  settleDue(record, nowMs);
  const job = record.jobs.find(exchange.names[0] ?? "");
  if (!job || !record.settings.config().cancelling) return NO_SUCH_JOB;

  const delivery = record.atomically(() => {
    const { id, reference, ref } = job;
    const n = record.requests.counted(exchange.requestId, "cancel", { subject: id, reference, ref, jobId: id });
    const fault = chooseFault(job.simulate.cancel, record.settings.schedule(), { place: "cancel", reference, n });
    record.requests.met(exchange.requestId, fault);
    record.events.append("cancel.requested", { jobId: id, reference, requestId: exchange.requestId, n, fault });
    return obey(provider, job, fault, nowMs);
  });
  clerk.poke();
  return delivery;
}

function obey({ record }: Provider, job: Job, fault: CancelFault, nowMs: number): Delivery {
  if (job.finalState !== null) return OVER;

  const accepted = whole(json(202, { id: job.id, state: stateAt(job, nowMs) }));
  const delayMs = record.settings.config().cancelDelayMs;
  switch (fault) {
    case "none":
      record.jobs.setCancel(job.id, nowMs, nowMs + delayMs);
      return accepted;
    case "late":
      record.jobs.setCancel(job.id, nowMs, nowMs + job.simulate.lateMs);
      return accepted;
    case "ignored":
      return accepted;
    case "server-error":
      return whole(refusal(500, "internal", "something went wrong"));
    case "already-completed":
      return OVER;
    case "reset":
      return { how: "reset" };
    case "silence":
      return { how: "silence" };
    default:
      return unreachable(fault);
  }
}
