// One Lease behind an API server, and processes that can be cut off from it or stand still.
import type { Cancel, Clock } from "../../../operator/runtime/clock.ts";
import { KubeError } from "../../../operator/runtime/errors.ts";
import type { Lease } from "../../../operator/runtime/lease.ts";
import type { KubeRequest } from "../../../operator/runtime/sender.ts";
import type { CallOptions, Transport } from "../../../operator/runtime/transport.ts";

export interface LeaseServer {
  lease(): Lease | undefined;
  /** Somebody else writes. */
  edit(spec: Lease["spec"]): void;
  readonly writes: () => number;
  transport(process: Process): Transport;
}

/** What a process sees of the world. */
export interface Process extends Clock {
  readonly isCut: () => boolean;
  /** Its calls are not answered. */
  cut(isCut: boolean): void;
  /** It stands still: none of its timers runs and no answer reaches it until it goes on. */
  pause(): void;
  goOn(): void;
  /** Resolves when it does not stand still. */
  awake(): Promise<void>;
}

const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

export function makeProcess(clock: Clock, skewMs = 0): Process {
  let isCut = false;
  let held: (() => void)[] | undefined;
  const orHeld = (run: () => void): void => {
    if (held) held.push(run);
    else run();
  };
  return {
    monotonicMs: () => clock.monotonicMs(),
    date: () => new Date(clock.date().getTime() + skewMs),
    after: (afterMs, run): Cancel => {
      let isCancelled = false;
      const cancel = clock.after(afterMs, () => orHeld(() => (isCancelled ? undefined : run())));
      return () => {
        isCancelled = true;
        cancel();
      };
    },
    isCut: () => isCut,
    cut: (cut) => (isCut = cut),
    pause: () => (held ??= []),
    goOn: () => {
      const late = held ?? [];
      held = undefined;
      for (const run of late) run();
    },
    awake: () => new Promise((resolve) => orHeld(resolve)),
  };
}

interface State {
  lease: Lease | undefined;
  version: number;
  watchers: (() => void)[];
}

export function makeLeaseServer(): LeaseServer {
  const state: State = { lease: undefined, version: 0, watchers: [] };
  return {
    lease: () => state.lease,
    edit: (spec) => {
      if (state.lease) store(state, { ...state.lease, spec: { ...state.lease.spec, ...spec } });
    },
    writes: () => state.version,
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

function store(state: State, lease: Lease): Lease {
  state.version += 1;
  state.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(state.version) } };
  for (const wake of state.watchers.splice(0)) wake();
  return state.lease;
}

function answer(state: State, { method, body }: KubeRequest): Lease {
  if (method !== "GET") return store(state, checked(state, method, body as Lease));
  if (!state.lease) throw fault(404, "NotFound");
  return state.lease;
}

function checked({ lease }: State, method: string, sent: Lease): Lease {
  const times = [sent.spec?.renewTime, sent.spec?.acquireTime];
  if (!times.every((time) => MICRO_TIME.test(String(time)))) throw fault(400, "BadRequest");
  if (method === "POST" && lease) throw fault(409, "AlreadyExists");
  const isCurrent = sent.metadata.resourceVersion === lease?.metadata.resourceVersion;
  if (method === "PUT" && !isCurrent) throw fault(409, "Conflict");
  return sent;
}

async function* watch(state: State, process: Process, signal: AbortSignal): AsyncGenerator<unknown, void, undefined> {
  const annotations = { "k8s.io/initial-events-end": "true" };
  if (state.lease) yield { type: "ADDED", object: state.lease };
  yield { type: "BOOKMARK", object: { metadata: { resourceVersion: String(state.version), annotations } } };
  for (;;) {
    await new Promise<void>((resolve) => {
      state.watchers.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await process.awake();
    if (signal.aborted) return;
    if (!process.isCut()) yield { type: "MODIFIED", object: state.lease };
  }
}

/** Rejects as the transport does: when the time is up on this process's clock, or with the signal's reason. */
export function timeout(process: Process, { signal, timeoutMs = 30_000 }: CallOptions): Promise<never> {
  return new Promise((_, reject) => {
    const cancel = process.after(timeoutMs, () => reject(fault(0, "Timeout")));
    signal.addEventListener("abort", () => {
      cancel();
      reject(signal.reason as Error);
    });
  });
}

export function fault(status: number, reason: string): KubeError {
  return new KubeError({ status, reason, method: "PUT", path: "/lease" });
}
