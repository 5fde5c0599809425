// A program: fifty changes of leader in a row under load, most of them in order, some by a cut connection. Says as one line of
// JSON what it saw. A process of its own, so that its memory and its sockets are its own.
import { EventEmitter, once } from "node:events";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";
import { makeResource } from "../../../operator/runtime/resources.ts";
import type { KubeObject } from "../../../operator/runtime/objects.ts";
import { makeTransport } from "../../../operator/runtime/transport.ts";
import { startCandidate, type Candidate } from "./candidate.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

export interface Seen {
  readonly changes: number;
  readonly cuts: number;
  /** Passes on the same key that overlapped within one term. */
  readonly overlaps: readonly string[];
  /** Terms that two identities had. */
  readonly sharedTerms: readonly number[];
  /** Keys whose last version nobody passed over while it led. */
  readonly lost: readonly string[];
  readonly passes: number;
  /** Calls of those that led or waited, and in how long. */
  readonly requests: number;
  readonly seconds: number;
  /** After five changes, and after each ten that follow. */
  readonly heapBytes: readonly number[];
  readonly sockets: readonly number[];
}

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const KEYS = 40;
const CHANGES = 50;
const CUT_EVERY = 10;
// The shortest a Lease can say is a second.
const SETTINGS = { leaseMs: 1_000, renewDeadlineMs: 700, retryMs: 150 };

const [server = "", caFile = "", token = "", namespace = ""] = process.argv.slice(2);
const signal = AbortSignal.timeout(150_000);

function kubeConfigAt(port?: number): KubeConfig {
  const url = new URL(server);
  if (port !== undefined) url.port = String(port);
  const config = new KubeConfig();
  const cluster = { name: "c", server: url.toString(), caFile, skipTLSVerify: false };
  config.loadFromClusterAndUser(cluster, { name: "admin", token });
  return config;
}

interface Record {
  readonly seen: Map<string, string>;
  readonly underWay: Map<string, string>;
  readonly terms: Map<number, Set<string>>;
  readonly overlaps: string[];
  passes: number;
  requests: number;
}

const record: Record = {
  ...{ seen: new Map(), underWay: new Map(), terms: new Map(), overlaps: [] },
  ...{ passes: 0, requests: 0 },
};

const passes = new EventEmitter();

interface Runner {
  readonly candidate: Candidate;
  readonly proxy: TcpProxy;
}

async function enter(number: number): Promise<Runner> {
  const { hostname, port } = new URL(server);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  const identity = `candidate-${number}`;
  const candidate = startCandidate({
    ...{ kubeConfig: kubeConfigAt(proxy.port), namespace, identity, settings: SETTINGS, kind: CONFIG_MAPS },
    metrics: { answered: () => void (record.requests += 1) },
    onLeading: ({ transitions }) => {
      record.terms.set(transitions, (record.terms.get(transitions) ?? new Set()).add(identity));
    },
    pass: async ({ key, object, term }) => {
      const at = `${term.transitions} ${key}`;
      const other = record.underWay.get(at);
      if (other !== undefined) record.overlaps.push(`${at}: ${other} and ${identity}`);
      record.underWay.set(at, identity);
      await new Promise((resolve) => setImmediate(resolve));
      record.underWay.delete(at);
      record.passes += 1;
      record.seen.set(key, object.metadata.resourceVersion ?? "");
      passes.emit("pass");
    },
  });
  return { candidate, proxy };
}

/** Writes all the time; gives the last version of each object when it is told to stop. */
function startLoad(stop: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const transport = makeTransport({ kubeConfig: kubeConfigAt() });
  const maps = makeResource<KubeObject>(transport, CONFIG_MAPS);
  const last = new Map<string, string>();
  const run = async (): Promise<ReadonlyMap<string, string>> => {
    for (let count = 0; !stop.aborted; count++) {
      const name = `m${count % KEYS}`;
      const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data: { n: String(count) } };
      const written = await maps.apply(map, { signal, fieldManager: "load", force: true });
      last.set(`${namespace}/${name}`, written.metadata.resourceVersion ?? "");
    }
    await transport.close();
    return last;
  };
  return run();
}

async function measure(): Promise<{ readonly heapBytes: number; readonly sockets: number }> {
  const collect = globalThis.gc as (() => void) | undefined;
  for (let times = 0; times < 2; times++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect?.();
  }
  return { heapBytes: process.memoryUsage().heapUsed, sockets: countSockets() };
}

function countSockets(): number {
  const isSocket = (descriptor: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith("socket:");
    } catch {
      return false; // closed meanwhile
    }
  };
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").filter(isSocket).length : 0;
}

async function end({ candidate, proxy }: Runner, isCut: boolean): Promise<void> {
  if (isCut) {
    proxy.refuse(true);
    proxy.blackHole();
  } else {
    candidate.stop();
  }
  await candidate.ended;
  await proxy.close();
}

async function main(): Promise<Seen> {
  const stop = new AbortController();
  const load = startLoad(stop.signal);
  const heapBytes: number[] = [];
  const sockets: number[] = [];
  let leader = await enter(0);
  await leader.candidate.led;
  const begunMs = performance.now();
  let cuts = 0;
  for (let change = 1; change <= CHANGES; change++) {
    const next = await enter(change);
    const isCut = change % CUT_EVERY === 0;
    if (isCut) cuts += 1;
    await end(leader, isCut);
    await next.candidate.led;
    leader = next;
    if (change % 10 !== 5) continue;
    const measured = await measure();
    heapBytes.push(measured.heapBytes);
    sockets.push(measured.sockets);
  }
  const seconds = (performance.now() - begunMs) / 1_000;
  stop.abort();
  const last = await load;
  const isPassed = (): boolean => [...last].every(([key, version]) => record.seen.get(key) === version);
  while (!isPassed() && !signal.aborted) await once(passes, "pass", { signal }).catch(() => undefined);
  const lost = [...last].filter(([key, version]) => record.seen.get(key) !== version).map(([key]) => key);
  await end(leader, false);
  return {
    ...{ changes: CHANGES, cuts, overlaps: record.overlaps, lost, heapBytes, sockets },
    sharedTerms: [...record.terms].filter(([, who]) => who.size > 1).map(([term]) => term),
    ...{ passes: record.passes, requests: record.requests, seconds },
  };
}

process.stdout.write(`${JSON.stringify(await main())}\n`);
