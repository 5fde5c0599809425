// GET /v1/jobs/{id}: the job as it is now, unless a fault distorts or withholds it.
import { chooseFault } from "../faults/choose.ts";
import { deliverQuery, distort } from "../faults/read.ts";
import { settleDue } from "../jobs/settle.ts";
import { isLost } from "../jobs/state.ts";
import { viewOf } from "../jobs/view.ts";
import type { Provider } from "../provider.ts";
import type { Exchange } from "./exchange.ts";
import { json, refusal, whole, type Delivery } from "./reply.ts";

export const NO_SUCH_JOB = whole(refusal(404, "not_found", "job not found"));

export function query({ record, contents }: Provider, exchange: Exchange): Delivery {
  const { requestId, operation, origin } = exchange;
  const nowMs = Date.now();
  settleDue(record, nowMs);
  const job = record.jobs.find(exchange.names[0] ?? "");
  if (!job) return NO_SUCH_JOB;

  const { id, reference, ref, simulate } = job;
  const n = record.requests.counted(requestId, operation, { subject: id, reference, ref, jobId: id });
  const fault = chooseFault(simulate.query, record.settings.schedule(), { place: "query", reference, n });
  record.requests.met(requestId, fault);
  const view = viewOf({ record, contents }, job, { origin, nowMs });
  record.events.append("job.queried", { jobId: id, reference, requestId, n, fault, state: view.state });

  if (isLost(job)) return NO_SUCH_JOB;
  return deliverQuery(fault, json(200, distort(fault, view)));
}
