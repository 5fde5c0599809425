// All Leases of a namespace behind an API server, for processes that can be cut off from it or stand still.
import type { Lease } from "../../../operator/runtime/lease.ts";
import type { KubeRequest } from "../../../operator/runtime/sender.ts";
import type { Transport } from "../../../operator/runtime/transport.ts";
import { fault, timeout } from "./lease-server.ts";
import type { Process } from "./lease-server.ts";

export interface LeaseCollection {
  get(name: string): Lease | undefined;
  names(): readonly string[];
  /** Changes of holder of each Lease, in order; "" when it was given back. */
  history(name: string): readonly string[];
  /** Somebody takes it away. */
  remove(name: string): void;
  transport(process: Process): Transport;
}

interface Change {
  readonly type: string;
  readonly object: Lease;
}

interface State {
  readonly leases: Map<string, Lease>;
  readonly histories: Map<string, string[]>;
  readonly watchers: Set<(change: Change) => void>;
  version: number;
}

export function makeLeaseCollection(): LeaseCollection {
  const state: State = { leases: new Map(), histories: new Map(), watchers: new Set(), version: 0 };
  return {
    get: (name) => state.leases.get(name),
    names: () => [...state.leases.keys()].sort(),
    history: (name) => state.histories.get(name) ?? [],
    remove: (name) => void remove(state, name),
    transport: (process) => ({
      request: async (request, options) => {
        if (process.isCut()) await timeout(process, options);
        options.signal.throwIfAborted();
        const result = answer(state, request);
        await process.awake();
        return result;
      },
      stream: (_, { signal }) => watch(state, process, signal),
      close: () => Promise.resolve(),
    }),
  };
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function answer(state: State, { body, method, path }: KubeRequest): Lease {
  const sent = body as Lease;
  const known = state.leases.get(method === "POST" ? sent.metadata.name : nameIn(path));
  if (method === "POST") {
    if (known) throw fault(409, "AlreadyExists");
    return store(state, "ADDED", sent);
  }
  if (!known) throw fault(404, "NotFound");
  if (method === "GET") return known;
  if (method === "DELETE") return checkedRemoval(state, known, body);
  if (sent.metadata.resourceVersion !== known.metadata.resourceVersion) throw fault(409, "Conflict");
  return store(state, "MODIFIED", sent);
}

function checkedRemoval(state: State, lease: Lease, body: unknown): Lease {
  const { resourceVersion, uid } =
    (body as { preconditions?: { resourceVersion?: string; uid?: string } }).preconditions ?? {};
  if (uid !== undefined && uid !== lease.metadata.uid) throw fault(409, "Conflict");
  if (resourceVersion !== undefined && resourceVersion !== lease.metadata.resourceVersion) throw fault(409, "Conflict");
  return remove(state, lease.metadata.name) ?? lease;
}

function store(state: State, type: string, sent: Lease): Lease {
  state.version += 1;
  const { name } = sent.metadata;
  const uid = sent.metadata.uid ?? `uid-${state.version}`;
  const lease = { ...sent, metadata: { ...sent.metadata, uid, resourceVersion: String(state.version) } };
  state.leases.set(name, lease);
  const history = state.histories.get(name) ?? [];
  const holder = lease.spec?.holderIdentity ?? "";
  if (history.at(-1) !== holder) state.histories.set(name, [...history, holder]);
  tell(state, { type, object: lease });
  return lease;
}

function remove(state: State, name: string): Lease | undefined {
  const lease = state.leases.get(name);
  if (!lease) return undefined;
  state.version += 1;
  state.leases.delete(name);
  tell(state, {
    type: "DELETED",
    object: { ...lease, metadata: { ...lease.metadata, resourceVersion: String(state.version) } },
  });
  return lease;
}

function tell(state: State, change: Change): void {
  for (const watcher of [...state.watchers]) watcher(change);
}

async function* watch(state: State, process: Process, signal: AbortSignal): AsyncGenerator<unknown, void, undefined> {
  const pending: Change[] = [...state.leases.values()].map((object) => ({ type: "ADDED", object }));
  let wake = (): void => undefined;
  const watcher = (change: Change): void => {
    if (!process.isCut()) pending.push(change);
    wake();
  };
  state.watchers.add(watcher);
  signal.addEventListener("abort", () => wake(), { once: true });
  try {
    yield* pending.splice(0);
    const annotations = { "k8s.io/initial-events-end": "true" };
    yield { type: "BOOKMARK", object: { metadata: { resourceVersion: String(state.version), annotations } } };
    while (!signal.aborted) {
      if (pending.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      await process.awake();
      yield* pending.splice(0);
    }
  } finally {
    state.watchers.delete(watcher);
  }
}
