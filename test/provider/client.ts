// A typed client of the simulated provider's admin API, for tests and the demo. It reads the provider's truth; it is not the public API.
import { request, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import type { RecordContents, RecordFilter } from "./admin/contents.ts";
import type { Summary } from "./admin/summary.ts";
import type { ProviderEvent } from "./record/events.ts";
import type { Config, Schedule } from "./schema/config.ts";

export interface ExpectedOutput {
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** All methods throw if the provider is not there or refuses. */
export interface ProviderAdmin {
  record(filter?: RecordFilter): Promise<RecordContents>;
  summary(): Promise<Summary>;
  /** Sets the schedule of faults; an empty one switches it off. */
  schedule(schedule: Schedule): Promise<void>;
  /** Changes what is given and leaves the rest; resolves to the whole. */
  config(change: Partial<Config>): Promise<Config>;
  readConfig(): Promise<Config>;
  finish(jobId: string): Promise<void>;
  hold(jobId: string): Promise<void>;
  release(jobId: string): Promise<void>;
  /** Ends the lag of look-ups and lists for this job. */
  show(jobId: string): Promise<void>;
  /** Forgets the record, the schedule and the config. Sequence numbers of events go on. */
  reset(): Promise<void>;
  expected(jobId: string, name: string): Promise<ExpectedOutput>;
  /** Events after a sequence number, past ones first, until `signal` or the provider ends. */
  events(signal: AbortSignal, after?: number): AsyncGenerator<ProviderEvent>;
  /** The first event after a sequence number (0: since ever) that the predicate holds for, past ones included. */
  waitFor(predicate: (event: ProviderEvent) => boolean, signal: AbortSignal, after?: number): Promise<ProviderEvent>;
}

export function makeProviderAdmin(adminUrl: string): ProviderAdmin {
  const call = (method: string, path: string, body?: unknown): Promise<unknown> =>
    exchange(adminUrl, { method, path, body });
  const act = async (method: string, path: string, body?: unknown): Promise<void> => {
    await call(method, path, body);
  };
  const events = (signal: AbortSignal, after = 0): AsyncGenerator<ProviderEvent> => streamOf(adminUrl, after, signal);

  return {
    record: async (filter = {}) => (await call("GET", `/record?${queryOf(filter)}`)) as RecordContents,
    summary: async () => (await call("GET", "/record/summary")) as Summary,
    schedule: (schedule) => act("POST", "/schedule", schedule),
    config: async (change) => (await call("POST", "/config", change)) as Config,
    readConfig: async () => (await call("GET", "/config")) as Config,
    finish: (jobId) => act("POST", `/jobs/${jobId}/finish`),
    hold: (jobId) => act("POST", `/jobs/${jobId}/hold`),
    release: (jobId) => act("POST", `/jobs/${jobId}/release`),
    show: (jobId) => act("POST", `/jobs/${jobId}/show`),
    reset: () => act("POST", "/reset"),
    expected: async (jobId, name) =>
      (await call("GET", `/outputs/${jobId}/${encodeURIComponent(name)}/expected`)) as ExpectedOutput,
    events,
    waitFor: async (predicate, signal, after) => {
      for await (const event of events(signal, after)) if (predicate(event)) return event;
      throw new Error("cannot wait for an event of the provider: it ended first");
    },
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

async function exchange(adminUrl: string, { method, path, body }: Call): Promise<unknown> {
  const response = await open(adminUrl, { method, path, body });
  let text = "";
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) text += chunk;
  if (response.statusCode !== 200) {
    throw new Error(`cannot ${method} ${path} at the provider: ${response.statusCode ?? 0} ${text}`);
  }
  return JSON.parse(text) as unknown;
}

async function* streamOf(adminUrl: string, after: number, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
  const response = await open(adminUrl, { method: "GET", path: `/events?after=${after}` }, signal);
  const lines = createInterface({ input: response });
  const leave = (): void => {
    response.destroy();
    lines.close();
  };
  signal.addEventListener("abort", leave, { once: true });
  response.once("error", leave);
  try {
    for await (const line of lines) yield JSON.parse(line) as ProviderEvent;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}

/** Each call has a connection of its own: tests kill and restart the provider, and a kept one would be stale. */
function open(adminUrl: string, { method, path, body }: Call, signal?: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const call = request(`${adminUrl}${path}`, { method, headers, agent: false, ...(signal && { signal }) }, resolve);
    call.on("error", reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function queryOf(filter: RecordFilter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  return query.toString();
}
