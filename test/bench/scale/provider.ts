// A provider whose jobs never end: the least that a task needs to be polled for ever. Keeps nothing but its jobs, so that it
// takes little of the machine.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface EndlessProvider {
  readonly baseUrl: string;
  jobs(): number;
  /** Queries answered so far. */
  queries(): number;
  stop(): Promise<void>;
}

export async function startEndlessProvider(): Promise<EndlessProvider> {
  const byRef = new Map<string, string>();
  const refs = new Map<string, string>();
  let queries = 0;

  const jobOf = (id: string): object => ({
    id,
    ref: refs.get(id) ?? null,
    state: "running",
    progress: 1,
    outputs: [],
    error: null,
  });
  const accept = (ref: string): object => {
    const id = byRef.get(ref) ?? `job-${refs.size}`;
    byRef.set(ref, id);
    refs.set(id, ref);
    return jobOf(id);
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://provider");
    if (request.method === "POST") {
      const { ref } = JSON.parse(await textOf(request)) as { readonly ref: string };
      reply(response, 201, accept(ref));
      return;
    }
    const [, id] = /\/jobs\/([^/]+)$/.exec(pathname) ?? [];
    if (id !== undefined) {
      queries += 1;
      reply(response, refs.has(id) ? 200 : 404, refs.has(id) ? jobOf(id) : { error: { code: "not_found" } });
      return;
    }
    const known = byRef.get(searchParams.get("ref") ?? "");
    reply(response, 200, { items: known === undefined ? [] : [jobOf(known)] });
  }

  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    jobs: () => refs.size,
    queries: () => queries,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
