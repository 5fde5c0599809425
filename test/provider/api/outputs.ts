// GET /v1/outputs/{token}/{name}: bytes for whoever holds a valid URL, with ranges and a strong ETag, unless the output's fault says otherwise.
import { createHash } from "node:crypto";
import { chooseFault } from "../faults/choose.ts";
import { OUTPUT_FAULTS, type Effect } from "../faults/output.ts";
import type { Fetch } from "../faults/outputSending.ts";
import { deliver, type Ended } from "../faults/wire.ts";
import type { Content } from "../media/content.ts";
import { checkLink } from "../outputs/links.ts";
import { impostorOf, outputNamed, type Output } from "../outputs/output.ts";
import { partOf } from "../outputs/range.ts";
import { send, type Sending } from "../outputs/sending.ts";
import type { Provider } from "../provider.ts";
import type { Job } from "../record/jobs.ts";
import type { OutputFault } from "../schema/faultNames.ts";
import type { Exchange } from "./exchange.ts";
import { refusal, whole, type Delivery, type Reply } from "./reply.ts";

/** Answers the fetch itself, as its bytes are no plain reply. */
export async function serveOutput(provider: Provider, exchange: Exchange): Promise<Ended> {
  const [token = "", name = ""] = exchange.names;
  const job = provider.record.jobs.findByToken(token);
  const output = job && outputNamed(job, name);
  if (!output) return answer(provider, exchange, refusal(404, "not_found", "output not found"));

  const fault = faultOf(provider, exchange, job, output);
  const effect = checkedEffect(provider, exchange, { job, output, fault });
  if ("reply" in effect) return answer(provider, exchange, effect.reply);
  if (exchange.request.method === "HEAD") return answerHead(exchange, effect.sending);
  return sendRecorded(provider, exchange, { job, output, fault }, effect.sending);
}

const REFUSED_LINKS = {
  expired: refusal(403, "url_expired", "this URL has expired"),
  forged: refusal(403, "bad_signature", "this URL is not signed"),
} as const;

function checkedEffect(provider: Provider, exchange: Exchange, { job, output, fault }: What): Effect {
  const link = { token: job.outputToken, name: output.name, query: exchange.url.searchParams, nowMs: Date.now() };
  const check = checkLink(provider.record, link);
  if (check !== "valid") return { reply: REFUSED_LINKS[check] };

  const fetch = fetchOf(provider, exchange, job, output);
  if ("body" in fetch) return { reply: fetch };
  return OUTPUT_FAULTS[isFollowed(exchange) ? "none" : fault](fetch);
}

function answer(provider: Provider, exchange: Exchange, reply: Reply): Promise<Ended> {
  const delivery: Delivery = whole(reply);
  return deliver(exchange.response, delivery, provider.signal);
}

/** A redirect that was followed finds the output itself. */
function isFollowed(exchange: Exchange): boolean {
  return exchange.url.searchParams.has("hop");
}

function faultOf({ record }: Provider, exchange: Exchange, job: Job, output: Output): OutputFault {
  const { requestId } = exchange;
  const { id, reference, ref } = job;
  const subject = `${id}/${output.name}`;
  const n = record.requests.counted(requestId, "output", { subject, reference, ref, jobId: id });
  const listed = listedFaults(output, n);
  const occasion = { place: "output", reference: `${reference}/${output.name}`, n } as const;
  const fault = chooseFault(listed, record.settings.schedule(), occasion);

  record.requests.met(requestId, fault);
  record.events.append("output.requested", { jobId: id, reference, name: output.name, requestId, n, fault });
  return fault;
}

/** The faults that the request lists, up to this n. */
function listedFaults({ wish }: Output, n: number): readonly OutputFault[] | undefined {
  if (wish.faults) return wish.faults;
  if (!wish.fault) return undefined;
  return wish.fault === "reset-once" ? [wish.fault] : Array.from({ length: n }, () => wish.fault ?? "none");
}

function fetchOf(provider: Provider, exchange: Exchange, job: Job, output: Output): Fetch | Reply {
  const content = provider.contents.of(job.id, output);
  const etag = `"${createHash("sha256").update(`${job.id}/${output.name}`).digest("hex").slice(0, 32)}"`;
  const { range, "if-range": ifRange, "if-match": ifMatch } = exchange.request.headers;
  const part = partOf({ range, ifRange: textOf(ifRange), ifMatch }, etag, content.bytes);
  if (part.type === "changed") return refusal(412, "precondition_failed", "the output is another one");
  if (part.type === "unsatisfiable") return unsatisfiable(content);

  const from = part.type === "part" ? part.from : 0;
  const to = part.type === "part" ? part.to : content.bytes;
  const span = part.type === "part" ? { "content-range": `bytes ${from}-${to - 1}/${content.bytes}` } : {};
  return {
    content,
    impostor: impostorOf(job.id, output),
    from,
    to,
    status: part.type === "part" ? 206 : 200,
    headers: { "content-type": output.mediaType, etag, "accept-ranges": "bytes", ...span },
    target: `${exchange.url.pathname}${exchange.url.search}`,
    port: exchange.request.socket.localPort ?? 0,
    mirrorPort: provider.mirrorPort(),
  };
}

function unsatisfiable(content: Content): Reply {
  const reply = refusal(416, "range_not_satisfiable", "the output is shorter");
  return { ...reply, headers: { ...reply.headers, "content-range": `bytes */${content.bytes}` } };
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

function answerHead({ response }: Exchange, { status, headers, framing }: Sending): Ended {
  const length = framing.by === "length" ? { "content-length": String(framing.bytes) } : {};
  response.writeHead(status, { ...headers, ...length });
  response.end();
  return { status, outcome: "answered" };
}

interface What {
  readonly job: Job;
  readonly output: Output;
  readonly fault: OutputFault;
}

async function sendRecorded(provider: Provider, exchange: Exchange, what: What, sending: Sending): Promise<Ended> {
  const { record } = provider;
  const sent = await send(exchange.response, sending, provider.signal);
  const complete = sent.whole && sending.ending === "complete";
  const { bytes, sha256 } = sent;
  const { requestId } = exchange;
  const { id: jobId, reference } = what.job;
  const { name } = what.output;

  record.atomically(() => {
    const mediaType = sending.headers["content-type"] ?? null;
    const how = { fault: what.fault, status: sending.status, mediaType };
    record.served.add({ requestId, jobId, name, ...how, bytes, sha256, complete });
    record.events.append("output.served", {
      requestId,
      jobId,
      reference,
      name,
      fault: what.fault,
      bytes,
      sha256,
      complete,
    });
  });
  return { status: sending.status, outcome: sent.whole ? "answered" : "aborted" };
}
