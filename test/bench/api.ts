// The API server as a bench uses it: plain calls over connections of its own, through nothing that is measured.
import { readFileSync } from "node:fs";
import { Agent } from "undici";
import type { AttachedEnvironment } from "../env/attach.ts";

export interface Api {
  /** The parsed answer. Throws when it is no success; `absentIsFine` makes undefined of a 404. */
  call(method: Method, path: string, body?: object, options?: { readonly contentType?: string }): Promise<unknown>;
  /** The parsed lines of a watch, until aborted. */
  watch(path: string, signal: AbortSignal): AsyncIterable<unknown>;
  /** The text of /metrics. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export const MERGE_PATCH = "application/merge-patch+json";
const CONNECTIONS = 64;

export function makeApi(environment: Pick<AttachedEnvironment, "apiServerUrl" | "caFile" | "adminToken">): Api {
  const origin = environment.apiServerUrl;
  const dispatcher = new Agent({
    ...{ connect: { ca: readFileSync(environment.caFile) }, connections: CONNECTIONS },
    ...{ allowH2: false, headersTimeout: 0, bodyTimeout: 0 },
  });
  const authorization = `Bearer ${environment.adminToken}`;

  async function send(method: Method, path: string, body?: string, contentType = "application/json") {
    const headers = {
      authorization,
      accept: "application/json",
      ...(body !== undefined && { "content-type": contentType }),
    };
    const answer = await dispatcher.request({ origin, path, method, headers, body: body ?? null });
    if (answer.statusCode < 300) return answer.body;
    const text = await answer.body.text();
    throw new Error(`cannot ${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`);
  }

  return {
    call: async (method, path, body, options = {}) => {
      const answer = await send(method, path, body && JSON.stringify(body), options.contentType);
      return answer.json();
    },
    watch: async function* (path, signal) {
      const body = await send("GET", path);
      const end = (): void => void body.destroy();
      signal.addEventListener("abort", end, { once: true });
      try {
        yield* linesOf(body);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    metrics: async () => (await send("GET", "/metrics")).text(),
    close: () => dispatcher.destroy(),
  };
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

/** Runs `work` for 0 to `count` − 1, so many at once, and rejects with the first fault. */
export async function forEachIndex(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
}

/** The sum of a counter's series whose labels are these. */
export function sumOf(metrics: string, counter: string, labels: Readonly<Record<string, string>>): number {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return metrics
    .split("\n")
    .filter((line) => line.startsWith(`${counter}{`) && wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
