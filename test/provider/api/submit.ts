// POST /v1/jobs: decides on the fault, makes the job in one transaction, and only then lets any answer out or withholds it.
import { z } from "zod";
import { chooseFault } from "../faults/choose.ts";
import { SUBMIT_FAULTS } from "../faults/submit.ts";
import { acceptJob, hashOf, type Submission } from "../jobs/accept.ts";
import { settleDue } from "../jobs/settle.ts";
import type { Provider } from "../provider.ts";
import type { Job } from "../record/jobs.ts";
import type { SubmitFault } from "../schema/faultNames.ts";
import { referenceOf, Simulate, SubmitBody } from "../schema/simulate.ts";
import { parseJson, readBody } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { json, refusal, whole, type Delivery, type Reply } from "./reply.ts";

export async function submit(provider: Provider, exchange: Exchange): Promise<Delivery> {
  const text = await readBody(exchange.request);
  if (text === undefined) return whole(refusal(413, "too_large", "the body is longer than a provider accepts"));
  provider.record.requests.bodyRead(exchange.requestId, text);

  const submission = readSubmission(exchange, text);
  if ("status" in submission) return whole(submission);

  const nowMs = Date.now();
  settleDue(provider.record, nowMs);
  const delivery = provider.record.atomically(() => decide(provider, exchange, submission, nowMs));

  const { faults } = submission.simulate.webhook;
  if (faults?.includes("before-answer")) await provider.webhooks.sendDue(nowMs);
  provider.clerk.poke();
  return delivery;
}

function readSubmission(exchange: Exchange, text: string): Submission | Reply {
  const body = SubmitBody.safeParse(parseJson(text));
  if (!body.success) return refusal(422, "invalid_request", z.prettifyError(body.error));

  const simulate = Simulate.safeParse(body.data.input.simulate ?? {});
  if (!simulate.success) return refusal(422, "invalid_simulate", z.prettifyError(simulate.error));

  const key = exchange.request.headers["idempotency-key"];
  return {
    body: body.data,
    simulate: simulate.data,
    reference: referenceOf(body.data),
    idempotencyKey: typeof key === "string" ? key : null,
    requestId: exchange.requestId,
  };
}

function decide(provider: Provider, exchange: Exchange, submission: Submission, nowMs: number): Delivery {
  const { record } = provider;
  const fault = faultOf(provider, exchange, submission);
  const effect = SUBMIT_FAULTS[fault];
  if (effect.moment === "before") return effect.delivery;

  const refused = replayOrRefusal(provider, submission, nowMs);
  const truth = refused ?? accepted(acceptJob(record, submission, nowMs));
  return truth.status === 201 ? effect.deliver(truth, submission.simulate.lateMs) : whole(truth);
}

function faultOf({ record }: Provider, exchange: Exchange, submission: Submission): SubmitFault {
  const { reference, simulate, body, requestId } = submission;
  const matter = { subject: reference, reference, ref: body.ref ?? null };
  const n = record.requests.counted(requestId, exchange.operation, matter);
  const occasion = { place: "submit", reference, n } as const;
  const followed = exchange.operation === "redirected-submit";
  const fault = followed ? "none" : chooseFault(simulate.submit, record.settings.schedule(), occasion);

  record.requests.met(requestId, fault);
  record.events.append("submit.received", { requestId, reference, ref: body.ref ?? null, n, fault });
  return fault;
}

/** The answer of a submit that makes no job, though no fault says so. */
function replayOrRefusal({ record }: Provider, submission: Submission, nowMs: number): Reply | undefined {
  const config = record.settings.config();
  const repeated = repeatedKey(submission, config.idempotency, (key) => record.jobs.findByKey(key));
  if (repeated) return repeated;

  const { ref } = submission.body;
  if (config.uniqueRefs && ref !== undefined && record.jobs.findByRef(ref)) {
    return refusal(409, "duplicate_ref", "there is a job with this ref");
  }
  const limited =
    config.submitsPerSecond !== null && record.requests.submitsSince(nowMs - 999) > config.submitsPerSecond;
  if (limited)
    return json(429, { error: { code: "rate_limited", message: "too many requests" } }, { "retry-after": "1" });

  const full = config.inFlightLimit !== null && record.jobs.openCount() >= config.inFlightLimit;
  if (full && config.overLimit === "rejected") return refusal(429, "too_many_concurrent", "too many jobs in flight");
  return undefined;
}

function repeatedKey(
  submission: Submission,
  mode: "none" | "replay" | "reject-on-reuse",
  findByKey: (key: string) => Job | undefined,
): Reply | undefined {
  if (mode === "none" || submission.idempotencyKey === null) return undefined;

  const known = findByKey(submission.idempotencyKey);
  if (!known) return undefined;
  if (mode === "replay" && known.bodyHash === hashOf(submission.body)) {
    const reply = accepted(known);
    return { ...reply, headers: { ...reply.headers, "idempotent-replayed": "true" } };
  }
  return refusal(422, "idempotency_key_reuse", "this idempotency key was used before");
}

function accepted(job: Job): Reply {
  return json(201, { id: job.id, state: "queued", ref: job.ref, cost_estimate: job.price });
}
