// Asks a part whether it is ready. A probe is data, so that it can be written into a file and asked from any process.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import { createConnection } from "node:net";
import pg from "pg";

export type Probe =
  | HttpProbe
  | { readonly type: "postgres"; readonly url: string }
  /** Ready when every port takes connections. */
  | { readonly type: "tcp"; readonly ports: readonly number[] }
  | { readonly type: "file"; readonly path: string }
  /** Ready when the program ends with status 0. */
  | { readonly type: "program"; readonly command: readonly [file: string, ...args: string[]] }
  | { readonly type: "all"; readonly probes: readonly Probe[] };

/** Ready when the URL answers 200; `caFile` may not exist yet. */
interface HttpProbe {
  readonly type: "http";
  readonly url: string;
  readonly caFile?: string;
  readonly token?: string;
}

const ANSWER_LIMIT_MS = 2_000;

async function httpAnswers({ url, caFile, token }: HttpProbe, signal: AbortSignal): Promise<boolean> {
  const ca = caFile === undefined ? undefined : await readFile(caFile).catch(() => undefined);
  if (caFile !== undefined && ca === undefined) return false;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = { signal: limit, agent: false, headers } as const;
  return new Promise((resolve) => {
    const settle = (response: IncomingMessage) => {
      response.on("error", () => undefined).resume(); // the status is all we want
      resolve(response.statusCode === 200);
    };
    const request = ca === undefined ? getHttp(url, options, settle) : getHttps(url, { ...options, ca }, settle);
    request.on("error", () => resolve(false));
  });
}

async function postgresAnswers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_LIMIT_MS });
  client.on("error", () => undefined); // the server may end while we ask: then it is not ready
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: "127.0.0.1", port, timeout: ANSWER_LIMIT_MS });
    const settle = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
    socket
      .once("connect", () => settle(true))
      .once("timeout", () => settle(false))
      .once("error", () => settle(false));
  });
}

function succeeds([file, ...args]: readonly [string, ...string[]], signal: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
  return new Promise((resolve) => {
    execFile(file, args, { signal: limit }, (error) => resolve(error === null));
  });
}

/** Whether the part behind the probe is ready now. */
export async function answers(probe: Probe, signal: AbortSignal): Promise<boolean> {
  switch (probe.type) {
    case "http":
      return httpAnswers(probe, signal);
    case "postgres":
      return postgresAnswers(probe.url);
    case "tcp":
      return (await Promise.all(probe.ports.map(connects))).every(Boolean);
    case "file":
      return existsSync(probe.path);
    case "program":
      return succeeds(probe.command, signal);
    case "all":
      return (await Promise.all(probe.probes.map((each) => answers(each, signal)))).every(Boolean);
  }
}
