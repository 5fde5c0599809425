// A plain client of the provider's public API that tells what it saw on the wire, on a connection of its own for each call.
import { request, type IncomingMessage } from "node:http";
import type { RunningProvider } from "../../provider/process.ts";
import type { JobView } from "../../provider/jobs/view.ts";

/** What a client sees of one call. `whole` is false for an answer that broke off. */
export type Seen =
  | {
      readonly saw: "answer";
      readonly status: number;
      readonly headers: IncomingMessage["headers"];
      readonly body: Buffer;
      readonly whole: boolean;
    }
  | { readonly saw: "reset" | "close" | "no HTTP" | "silence" };

export interface Call {
  readonly method?: string;
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long silence is borne. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 10_000;

export function call({ method = "GET", url, body, headers = {}, patienceMs = PATIENCE_MS }: Call): Promise<Seen> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(patienceMs);
    let answer: Promise<Seen> | undefined;
    const outgoing = request(url, { method, headers, agent: false, signal }, (incoming) => {
      answer = read(incoming);
      resolve(answer);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      resolve(answer ?? { saw: nameOf(error) });
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function read(incoming: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  let whole = true;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    whole = false;
  }
  const { statusCode: status = 0, headers } = incoming;
  return { saw: "answer", status, headers, body: Buffer.concat(chunks), whole: whole && incoming.complete };
}

function nameOf(error: NodeJS.ErrnoException): Exclude<Seen["saw"], "answer"> {
  if (error.name === "AbortError") return "silence";
  if (error.code?.startsWith("HPE_")) return "no HTTP";
  return error.message === "socket hang up" ? "close" : "reset";
}

/** The answer as text, JSON where it is JSON; what else was seen in words. */
export function shown(seen: Seen): unknown {
  if (seen.saw !== "answer") return seen.saw;
  const text = seen.body.toString("utf8");
  try {
    return { status: seen.status, body: JSON.parse(text) as unknown };
  } catch {
    return { status: seen.status, body: seen.whole ? text.slice(0, 40) : "broken off" };
  }
}

export interface Wish {
  readonly model?: string;
  readonly reference: string;
  readonly simulate?: unknown;
  readonly ref?: string;
  readonly webhook?: string;
  readonly key?: string;
  readonly patienceMs?: number;
}

/** The public API of one provider, with its credential. */
export interface Caller {
  submit(wish: Wish): Promise<Seen>;
  /** Submits and expects acceptance; resolves to the job's id. */
  accepted(wish: Wish): Promise<string>;
  get(path: string, patienceMs?: number): Promise<Seen>;
  post(path: string, patienceMs?: number): Promise<Seen>;
  /** The job once it is over, by the provider's own event. */
  finished(jobId: string): Promise<JobView>;
}

export function makeCaller(provider: RunningProvider): Caller {
  const authorization = `Bearer ${provider.token}`;
  const patience = (patienceMs: number | undefined): { patienceMs?: number } =>
    patienceMs === undefined ? {} : { patienceMs };

  const submit = (wish: Wish): Promise<Seen> => {
    const { model = "acme-image-1", reference, simulate, ref, webhook, key } = wish;
    const headers = {
      authorization,
      "content-type": "application/json",
      ...(key !== undefined && { "idempotency-key": key }),
    };
    const input = { prompt: "a lighthouse", reference, ...(simulate !== undefined && { simulate }) };
    const body = { model, input, ref, webhook };
    return call({ method: "POST", url: `${provider.url}/v1/jobs`, body, headers, ...patience(wish.patienceMs) });
  };
  const get = (path: string, patienceMs?: number): Promise<Seen> =>
    call({ url: `${provider.url}${path}`, headers: { authorization }, ...patience(patienceMs) });

  return {
    submit,
    accepted: async (wish) => (bodyOf(await submit(wish), 201) as { id: string }).id,
    get,
    post: (path, patienceMs) =>
      call({ method: "POST", url: `${provider.url}${path}`, headers: { authorization }, ...patience(patienceMs) }),
    finished: async (jobId) => {
      const limit = AbortSignal.timeout(PATIENCE_MS);
      await provider.admin.waitFor((event) => event.type === "job.finished" && event.jobId === jobId, limit);
      return bodyOf(await get(`/v1/jobs/${jobId}`), 200) as JobView;
    },
  };
}

/** The JSON body of an answer that has this status. Throws otherwise. */
export function bodyOf(seen: Seen, status: number): unknown {
  if (seen.saw !== "answer" || seen.status !== status) {
    throw new Error(`cannot go on: expected ${status}, saw ${JSON.stringify(shown(seen))}`);
  }
  return JSON.parse(seen.body.toString("utf8")) as unknown;
}
