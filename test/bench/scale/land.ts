// The cluster of the scale bench: the operator installed, very many tasks of which most rest and some are polled for ever.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import { startEnvironment, type Environment } from "../../env/environment.ts";
import { applyObjects, install, NAMESPACE, type Installation } from "../../operator/installation.ts";
import { startOperator } from "../../operator/process.ts";
import { grantObject, namespaceObject, taskObject } from "../../operator/tenancy.ts";
import { forEachIndex, makeApi, sumOf, type Api } from "../api.ts";
import type { BenchOptions } from "../bench.ts";
import { cloneTask } from "./etcd.ts";
import { startEndlessProvider, type EndlessProvider } from "./provider.ts";

export interface Land {
  readonly environment: Environment;
  readonly installation: Installation;
  readonly provider: EndlessProvider;
  readonly tasks: number;
  /** Writes to tasks that the API server has answered since its start. */
  writes(): Promise<number>;
  /** Kills the API server and starts it again; resolves when it serves the tasks from its own cache again. */
  restartApiServer(): Promise<void>;
  stop(): Promise<void>;
}

export interface LandOptions extends Pick<BenchOptions, "signal" | "say"> {
  /** Suspended: they rest. */
  readonly resting: number;
  /** Their jobs never end. */
  readonly polled: number;
}

const TENANT = "studio";
const PROMPT_LENGTH = 900; // with its status and managed fields, a stored task is 2 kB then
const CREATES_AT_ONCE = 16;
const LOOK_AGAIN_MS = 1_000;
const SETTLE_LIMIT_MS = 900_000;
/** The API server is away for some seconds, with so many objects: the leader must survive that, as it would in a real cluster. */
export const VARIABLES = {
  LEASE_DURATION_SECONDS: "120",
  LEASE_RENEW_DEADLINE_SECONDS: "90",
  LEASE_RETRY_SECONDS: "2",
};

export async function openLand(options: LandOptions): Promise<Land> {
  const { signal, say } = options;
  const environment = await startEnvironment({ provider: false, controllerManager: false, say }, signal);
  const provider = await startEndlessProvider();
  const stop = async (): Promise<void> => {
    await environment.stop();
    await provider.stop();
  };
  try {
    const installation = await install(environment);
    await settle({ environment, installation, provider }, options);
    const part = environment.part("kube-apiserver");
    return {
      ...{ environment, installation, provider, stop },
      tasks: options.resting + options.polled,
      writes: () => writesTo(environment),
      restartApiServer: async () => {
        await part.kill();
        await part.start(signal);
        await untilServed(environment, { signal, say });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writesTo(environment: Environment): Promise<number> {
  const api = makeApi(environment);
  try {
    return sumOf(await api.metrics(), "apiserver_request_total", { resource: "generationtasks", verb: "PATCH" });
  } finally {
    await api.close();
  }
}

/**
 * Until then the API server answers 429, while it reads everything from etcd and decodes it, one object after another; or 504, while its
 * cache is behind etcd. A streamed list of an empty namespace waits for the same as one of everything.
 */
async function untilServed(
  environment: Environment,
  { say, signal }: Pick<LandOptions, "signal" | "say">,
): Promise<void> {
  const api = makeApi(environment);
  const patience = AbortSignal.any([signal, AbortSignal.timeout(SETTLE_LIMIT_MS)]);
  const beganMs = performance.now();
  try {
    while (!(await streamsLists(api))) await delay(LOOK_AGAIN_MS, undefined, { signal: patience });
    say(`the API server serves the tasks after ${((performance.now() - beganMs) / 1000).toFixed(1)} s`);
  } finally {
    await api.close();
  }
}

const STREAMED = "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

async function streamsLists(api: Api): Promise<boolean> {
  const end = new AbortController();
  try {
    for await (const line of api.watch(`${collectionOf("nobody")}${STREAMED}`, end.signal)) {
      return (line as { readonly type?: string }).type === "BOOKMARK";
    }
    return false;
  } catch {
    return false;
  } finally {
    end.abort();
  }
}

/** Tenancy and tasks; resolves when the operator has brought every task to where it stays. */
async function settle(
  { environment, installation, provider }: Pick<Land, "environment" | "installation" | "provider">,
  { polled, resting, say, signal }: LandOptions,
): Promise<void> {
  await applyObjects(environment, [namespaceObject(TENANT), ...(await providerObjects(provider.baseUrl))]);
  await applyObjects(environment, [grantObject(TENANT, "first", "100000")]);
  const api = makeApi(environment);
  const operator = startOperator(installation, { variables: VARIABLES });
  try {
    say(`creating ${polled} tasks that are polled`);
    await forEachIndex(polled, CREATES_AT_ONCE, (index) => create(api, taskOf(`polled-${index}`)));
    await create(api, taskOf("resting", { suspend: true }));
    const patience = AbortSignal.any([signal, AbortSignal.timeout(SETTLE_LIMIT_MS)]);
    while (provider.jobs() < polled || !(await isReported(api))) {
      await delay(LOOK_AGAIN_MS, undefined, { signal: patience });
    }
    say(`copying ${resting} tasks that rest`);
    await cloneTask(environment.coordinatesPath, { namespace: TENANT, name: "resting", count: resting - 1 });
    await untilServed(environment, { signal, say });
  } finally {
    await operator.stop();
    await api.close();
  }
}

const collectionOf = (namespace: string): string => `/apis/genop.dev/v1alpha1/namespaces/${namespace}/generationtasks`;
const COLLECTION = collectionOf(TENANT);

function create(api: Api, task: object): Promise<unknown> {
  return api.call("POST", COLLECTION, task);
}

async function isReported(api: Api): Promise<boolean> {
  const { status } = (await api.call("GET", `${COLLECTION}/resting`)) as {
    readonly status?: { readonly phase?: string };
  };
  return status?.phase !== undefined;
}

function taskOf(name: string, spec: object = {}): object {
  const prompt = "a quiet harbour at sunrise, ".repeat(PROMPT_LENGTH).slice(0, PROMPT_LENGTH);
  const input = { prompt, reference: `${TENANT}/${name}` };
  return taskObject({ namespace: TENANT, name, model: "sim-image", spec: { input, ...spec } });
}

/** The sample's provider at this address; its jobs may take a week. */
async function providerObjects(baseURL: string): Promise<readonly object[]> {
  const sample = join(import.meta.dirname, "..", "..", "..", "crds", "samples", "provider-simulated.yaml");
  const provider = parse(await readFile(sample, "utf8")) as { readonly spec: { readonly timeouts: object } };
  const { spec } = provider;
  const timeouts = { ...spec.timeouts, jobSeconds: 604_800 };
  const metadata = { name: "simulated", namespace: NAMESPACE };
  return [
    { apiVersion: "v1", kind: "Secret", metadata, stringData: { token: "endless" } },
    { ...provider, metadata: { name: "simulated" }, spec: { ...spec, baseURL, timeouts } },
  ];
}
