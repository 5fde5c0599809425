// Where the contestants run: one API server for all of them, a namespace for each run, and what is true afterwards.
import { only, startEnvironment, type Environment } from "../../env/environment.ts";
import { MERGE_PATCH, forEachIndex, makeApi, sumOf, type Api } from "../api.ts";
import { usageOf } from "../process-usage.ts";
import { observedOf, widgetOf, WIDGET_DEFINITION, type Widget } from "./widget.ts";

export interface Field {
  readonly kubeconfigPath: string;
  readonly api: Api;
  /** The collection's path of a new, empty namespace. */
  makeNamespace(): Promise<{ readonly namespace: string; readonly collection: string }>;
  /** Objects 0 to `count` − 1, as fast as the server takes them. */
  createAll(namespace: string, count: number): Promise<void>;
  /** Throws unless every object is there and has the status that its spec asks for. */
  verify(collection: string, count: number): Promise<void>;
  /** Writes of statuses that the server has answered so far, whoever made them. */
  statusWrites(): Promise<number>;
  /** CPU seconds of API server and etcd so far. */
  serverCpuSeconds(): Promise<number>;
  /** Removes every object of the namespace. */
  clear(collection: string, count: number): Promise<void>;
  stop(): Promise<void>;
}

const CREATES_AT_ONCE = 16;
const REMOVALS_AT_ONCE = 32;
const PAGE_SIZE = 1_000;

export async function openField(signal: AbortSignal, say: (line: string) => void): Promise<Field> {
  const environment = await startEnvironment({ ...only("controlPlane"), controllerManager: false, say }, signal);
  try {
    const api = makeApi(environment);
    await define(api);
    return fieldOf(environment, api);
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

function fieldOf(environment: Environment, api: Api): Field {
  let namespaces = 0;
  return {
    kubeconfigPath: environment.kubeconfigPath,
    api,
    makeNamespace: async () => {
      const namespace = `run-${++namespaces}`;
      await api.call("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
      return { namespace, collection: collectionOf(namespace) };
    },
    createAll: (namespace, count) =>
      forEachIndex(count, CREATES_AT_ONCE, (index) =>
        api.call("POST", collectionOf(namespace), widgetOf(namespace, index)),
      ),
    verify: (collection, count) => verify(api, collection, count),
    statusWrites: async () =>
      sumOf(await api.metrics(), "apiserver_request_total", { resource: "widgets", subresource: "status" }),
    serverCpuSeconds: async () => {
      const pids = await Promise.all([environment.part("kube-apiserver").pid(), environment.part("etcd").pid()]);
      return pids.reduce<number>((sum, pid) => sum + (pid === undefined ? 0 : usageOf(pid).cpuSeconds), 0);
    },
    clear: (collection, count) =>
      forEachIndex(count, REMOVALS_AT_ONCE, (index) => api.call("DELETE", `${collection}/widget-${index}`)),
    stop: async () => {
      await api.close();
      await environment.stop();
    },
  };
}

function collectionOf(namespace: string): string {
  return `/apis/bench.genop.dev/v1/namespaces/${namespace}/widgets`;
}

/** Makes the kind, and waits until it is served. */
async function define(api: Api): Promise<void> {
  await api.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGET_DEFINITION);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=true&fieldSelector=metadata.name%3D";
  const found = new AbortController();
  for await (const event of api.watch(`${path}${WIDGET_DEFINITION.metadata.name}`, found.signal)) {
    const { object } = event as { readonly object: Definition };
    if (object.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True")) break;
  }
  found.abort();
}

interface Definition {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface Page {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly Widget[];
}

async function verify(api: Api, collection: string, count: number): Promise<void> {
  let [right, next] = [0, ""];
  do {
    const page = (await api.call("GET", `${collection}?limit=${PAGE_SIZE}&continue=${next}`)) as Page;
    right += page.items.filter((widget) => widget.status?.observed === observedOf(widget)).length;
    next = page.metadata.continue ?? "";
  } while (next !== "");
  if (right !== count) throw new Error(`the work was not done: ${right} of ${count} objects have the right status`);
}

/** Changes the spec of an object. */
export function changeWidget(api: Api, collection: string, widget: Widget): Promise<unknown> {
  const { name } = widget.metadata;
  return api.call("PATCH", `${collection}/${name}`, { spec: widget.spec }, { contentType: MERGE_PATCH });
}
