// A client of the shim inside of the cluster: reads tasks without a pause and makes one each second, on connections that it keeps and on new
// ones. `GET /stop` on port 8080 ends it, and is answered with what it saw. It is mounted as this one file: it imports nothing but Node and types.
import { readFileSync } from "node:fs";
import { Agent, createServer, request as requestOf } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import type { Calls } from "./caller.ts";

const { NAMESPACE = "", REST = "" } = process.env;
const PAUSE_MS = 20;
const CREATE_MS = 1_000;
const LIMIT_MS = 10_000;
const READ = 200;
const TAKEN = 202;
const token = readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/token", "utf8");
const stopping = new AbortController();
const seen = { asked: 0, made: [] as string[], failed: [] as string[] } satisfies Calls;

interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The status. */
function call(agent: Agent | false, { body = "", headers, method, path }: Call): Promise<number> {
  const all = { authorization: `Bearer ${token}`, "content-length": String(Buffer.byteLength(body)), ...headers };
  return new Promise((resolve, reject) => {
    const asked = requestOf(`${REST}${path}`, { agent, method, headers: all, timeout: LIMIT_MS }, (answer) => {
      answer.on("error", reject).on("end", () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    asked.on("error", reject).on("timeout", () => asked.destroy(new Error("no answer")));
    asked.end(body);
  });
}

/** Whether it was answered well; all else is told. */
async function ask(agent: Agent | false, wanted: number, request: Call): Promise<boolean> {
  seen.asked += 1;
  const status = await call(agent, request).catch((error: unknown) => String(error));
  if (status !== wanted) seen.failed.push(`${request.method} ${request.path}: ${status}`);
  return status === wanted;
}

async function read(agent: Agent | false): Promise<void> {
  while (!stopping.signal.aborted) {
    await ask(agent, READ, { method: "GET", path: "/v1/tasks?limit=10" });
    await after(PAUSE_MS);
  }
}

async function create(agent: Agent): Promise<void> {
  for (let at = 0; !stopping.signal.aborted; at += 1) {
    const reference = `${NAMESPACE}/wish-${at}`;
    const input = { prompt: "a quiet harbour", reference };
    const body = JSON.stringify({ providerRef: { name: "simulated" }, model: "sim-image", input });
    const headers = { "content-type": "application/json", "idempotency-key": `wish-${at}` };
    if (await ask(agent, TAKEN, { method: "POST", path: "/v1/tasks", headers, body })) seen.made.push(reference);
    await after(CREATE_MS);
  }
}

const keeping = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });
const going = Promise.all([read(keeping()), read(keeping()), read(false), create(keeping())]);
createServer((_, answer) => {
  stopping.abort();
  void going.then(() => answer.end(JSON.stringify(seen)));
}).listen(8080);
