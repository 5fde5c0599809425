// The admin API: the record, the behaviour, and the stream of events. Loopback only and without a credential, as only tests and the demo use it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import { parseJson, readBody } from "../api/body.ts";
import { json, refusal, type Reply } from "../api/reply.ts";
import { targetOf } from "../api/target.ts";
import { settleDue } from "../jobs/settle.ts";
import { outputNamed } from "../outputs/output.ts";
import type { Provider } from "../provider.ts";
import { actOnJob, reset, setConfig, setSchedule, showJob, type JobAction } from "./actions.ts";
import { contentsOf } from "./contents.ts";
import { streamEvents } from "./events.ts";
import { summaryOf } from "./summary.ts";

const KEEP_ALIVE_MS = 120_000;
const MAX_REQUESTS = 100_000;

const Filter = z.object({
  reference: z.string().optional(),
  job: z.string().optional(),
  operation: z.string().optional(),
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(0).max(MAX_REQUESTS).optional(),
});

const After = z.coerce.number().int().min(0).catch(0);

interface Asked {
  readonly url: URL;
  readonly names: readonly string[];
  readonly body: unknown;
}

type Handler = (provider: Provider, asked: Asked) => Reply;

const ROUTES: readonly { readonly path: RegExp; readonly handle: Handler }[] = [
  { path: /^GET \/record$/, handle: getRecord },
  { path: /^GET \/record\/summary$/, handle: ({ record }) => json(200, summaryOf(record)) },
  { path: /^GET \/config$/, handle: ({ record }) => json(200, record.settings.config()) },
  { path: /^POST \/config$/, handle: (provider, { body }) => setConfig(provider, body) },
  { path: /^POST \/schedule$/, handle: (provider, { body }) => setSchedule(provider, body) },
  { path: /^POST \/reset$/, handle: reset },
  {
    path: /^POST \/jobs\/([^/]+)\/(finish|hold|release)$/,
    handle: (provider, { names: [id = "", action = ""] }) => actOnJob(provider, id, action as JobAction),
  },
  { path: /^POST \/jobs\/([^/]+)\/show$/, handle: (provider, { names: [id = ""] }) => showJob(provider, id) },
  { path: /^GET \/outputs\/([^/]+)\/([^/]+)\/expected$/, handle: getExpected },
];

export function makeAdminServer(provider: Provider): Server {
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    handle(provider, request, response).catch((error: unknown) => {
      if (!provider.signal.aborted) console.error("cannot answer an admin request", error);
      response.destroy();
    });
  });
}

async function handle(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = targetOf(request);
  settleDue(provider.record, Date.now());
  if (request.method === "GET" && url.pathname === "/events") {
    streamEvents(provider.record.events, response, After.parse(url.searchParams.get("after") ?? 0));
    return;
  }
  const text = (await readBody(request)) ?? "";
  send(response, answer(provider, `${request.method ?? ""} ${url.pathname}`, { url, body: parseJson(text) ?? {} }));
}

function answer(provider: Provider, path: string, asked: Omit<Asked, "names">): Reply {
  for (const route of ROUTES) {
    const match = route.path.exec(path);
    if (match) return route.handle(provider, { ...asked, names: match.slice(1).map(decodeURIComponent) });
  }
  return refusal(404, "not_found", "no such admin endpoint");
}

function getRecord({ record }: Provider, { url }: Asked): Reply {
  const filter = Filter.safeParse(Object.fromEntries(url.searchParams));
  if (!filter.success) return refusal(422, "invalid_request", z.prettifyError(filter.error));
  return json(200, contentsOf(record, filter.data, Date.now()));
}

function getExpected({ record, contents }: Provider, { names: [jobId = "", name = ""] }: Asked): Reply {
  const job = record.jobs.find(jobId);
  const output = job && outputNamed(job, name);
  if (!output) return refusal(404, "not_found", "no such output");

  const { bytes } = contents.of(jobId, output);
  return json(200, { sha256: contents.sha256(jobId, output), bytes, mediaType: output.mediaType });
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...reply.headers, "content-length": String(Buffer.byteLength(reply.body)) });
  response.end(reply.body);
}
