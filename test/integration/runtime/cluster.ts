// A namespace of a test's own on a real API server, reached through a proxy that can be made to fail.
import { randomBytes } from "node:crypto";
import { afterEach } from "@jest/globals";
import { KubeConfig } from "@kubernetes/client-node";
import { keyOf, type KubeObject, type ResourceKind } from "../../../operator/runtime/objects.ts";
import { makeReflector, type Reflector, type ReflectorDeps } from "../../../operator/runtime/reflector.ts";
import { makeResource, type Resource } from "../../../operator/runtime/resources.ts";
import { makeTransport, type Transport, type TransportDeps } from "../../../operator/runtime/transport.ts";
import type { AttachedEnvironment } from "../../env/attach.ts";
import { startCallProxy, type CallProxy } from "./call-proxy.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

export const CONFIG_MAPS: ResourceKind = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const NAMESPACES: ResourceKind = { group: "", version: "v1", plural: "namespaces", namespaced: false };

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
}, 120_000);

/** Runs after the test, in reverse order. */
export function later(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** A signal that nobody aborts. */
export const never = new AbortController().signal;

/** The administrator's way in, directly or through another port. */
export function kubeConfigOf(environment: AttachedEnvironment, port?: number): KubeConfig {
  const config = new KubeConfig();
  const url = new URL(environment.apiServerUrl);
  if (port !== undefined) url.port = String(port);
  config.loadFromClusterAndUser(
    { name: "c", server: url.toString(), caFile: environment.caFile, skipTLSVerify: false },
    { name: "admin", token: environment.adminToken },
  );
  return config;
}

export interface Way {
  readonly proxy: TcpProxy;
  readonly transport: Transport;
}

/** A transport through a proxy of its own. */
export async function openWay(environment: AttachedEnvironment, deps: Partial<TransportDeps> = {}): Promise<Way> {
  const { hostname, port } = new URL(environment.apiServerUrl);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  later(() => proxy.close());
  const transport = makeTransport({ kubeConfig: kubeConfigOf(environment, proxy.port), ...deps });
  later(() => transport.close());
  return { proxy, transport };
}

export interface CallWay {
  readonly proxy: CallProxy;
  readonly transport: Transport;
}

/** A transport through a proxy of its own that can fail single calls. */
export async function callWay(environment: AttachedEnvironment, deps: Partial<TransportDeps> = {}): Promise<CallWay> {
  const proxy = await startCallProxy(environment);
  later(() => proxy.close());
  const transport = makeTransport({ kubeConfig: kubeConfigOf(environment, proxy.port), ...deps });
  later(() => transport.close());
  return { proxy, transport };
}

export interface Cluster {
  readonly namespace: string;
  /** Straight to the API server, whatever the proxies do. */
  readonly direct: Transport;
  readonly maps: Resource<ConfigMap>;
  readonly put: (
    name: string,
    data: Readonly<Record<string, string>>,
    labels?: Readonly<Record<string, string>>,
  ) => Promise<ConfigMap>;
}

export async function makeCluster(environment: AttachedEnvironment): Promise<Cluster> {
  const namespace = `runtime-${randomBytes(4).toString("hex")}`;
  const direct = makeTransport({ kubeConfig: kubeConfigOf(environment) });
  later(() => direct.close());
  const namespaces = makeResource<KubeObject>(direct, NAMESPACES);
  const wanted = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await namespaces.create(wanted, { signal: never });
  later(() => namespaces.remove(namespace, { signal: never }));
  const maps = makeResource<ConfigMap>(direct, CONFIG_MAPS);
  return {
    ...{ namespace, direct, maps },
    put: (name, data, labels = {}) => {
      const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name, labels }, data };
      return maps.apply(map, { signal: never, fieldManager: "test", force: true });
    },
  };
}

/** The versions of what is there: of a cache, to be compared with what was told or is really there. */
export function versionsOf(objects: Iterable<ConfigMap>): ReadonlyMap<string, string | undefined> {
  return new Map([...objects].map((object) => [keyOf(object), object.metadata.resourceVersion]));
}

export interface Followed {
  readonly cache: Reflector<ConfigMap>;
  readonly log: string[];
  /** The versions of the objects as the changes that were told make them. */
  readonly told: ReadonlyMap<string, string | undefined>;
  /** Resolves when the cache satisfies the condition; it is asked after each change. */
  readonly until: (condition: (cache: Reflector<ConfigMap>) => boolean) => Promise<void>;
}

/** A running cache of the namespace's ConfigMaps. */
export function follow(
  transport: Transport,
  namespace: string,
  deps: Partial<ReflectorDeps<ConfigMap>> = {},
): Followed {
  const log: string[] = [];
  const cache = makeReflector<ConfigMap>({
    ...{ transport, kind: CONFIG_MAPS, namespace },
    log: (_, event, fields) => void log.push(event === "watch.listed" ? `${event} ${String(fields?.how)}` : event),
    ...deps,
  });
  const waiting = new Set<() => void>();
  const told = new Map<string, string | undefined>();
  cache.onChange((key, next) => {
    if (next) told.set(key, next.metadata.resourceVersion);
    else told.delete(key);
    waiting.forEach((check) => check());
  });
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  later(() => {
    stop.abort(new Error("the test is over"));
    return running;
  });
  return {
    ...{ cache, log, told },
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition(cache)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
