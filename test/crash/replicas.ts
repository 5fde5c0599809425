// Processes of the operator that dies as ordered: one leads, two wait warm behind it, and a dead one is replaced. The lease
// of a dead leader is given back for it, so that the next one begins at once: the harshest successor, and no waiting.
import { join } from "node:path";
import { holderOf, makeLeaseClient } from "../../operator/runtime/lease.ts";
import type { LeaseClient } from "../../operator/runtime/lease.ts";
import type { Transport } from "../../operator/runtime/transport.ts";
import { LEASE, NAMESPACE } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { startOperator } from "../operator/process.ts";
import type { OperatorProcess } from "../operator/process.ts";

export interface Replicas {
  /** Processes that have died of a signal so far. */
  deaths(): number;
  /** SIGTERM to all; resolves when they have ended. */
  stop(): Promise<void>;
}

export interface ReplicasOptions {
  readonly installation: Installation;
  readonly transport: Transport;
  readonly ordersFolder: string;
  readonly logFile: string;
}

const MAIN = join(import.meta.dirname, "operator-main.ts");
const WAIT_MS = 30_000;
/** Two deaths may follow each other before the first dead one is replaced. */
const MEMBERS = 3;
// Long, so that a busy machine takes no lease from a living process.
const LEASE_TIMES = {
  LEASE_DURATION_SECONDS: "20",
  LEASE_RENEW_DEADLINE_SECONDS: "15",
  LEASE_RETRY_SECONDS: "0.3",
  PROVIDER_GRACE_SECONDS: "10",
};

interface State extends ReplicasOptions {
  readonly lease: LeaseClient;
  readonly members: Set<OperatorProcess>;
  started: number;
  deaths: number;
  isStopping: boolean;
}

export function startReplicas(options: ReplicasOptions): Replicas {
  const lease = makeLeaseClient(options.transport, { namespace: NAMESPACE, name: LEASE });
  const state: State = { ...options, lease, members: new Set(), started: 0, deaths: 0, isStopping: false };
  for (let member = 0; member < MEMBERS; member += 1) add(state);
  return {
    deaths: () => state.deaths,
    stop: async () => {
      state.isStopping = true;
      await Promise.all([...state.members].map((process) => process.stop()));
    },
  };
}

function add(state: State): void {
  const name = `replica-${String((state.started += 1))}`;
  const variables = { ...LEASE_TIMES, POD_NAME: name, GENOP_CRASH_FOLDER: state.ordersFolder };
  const process = startOperator(state.installation, { variables, logFile: state.logFile, main: MAIN });
  state.members.add(process);
  void process.ended.then((how) => {
    state.members.delete(process);
    if (state.isStopping) return;
    if (how === "SIGKILL") state.deaths += 1;
    add(state);
    // A failure is no matter: the lease then expires.
    releaseFor(state, name).catch(() => undefined);
  });
}

async function releaseFor({ lease }: State, name: string): Promise<void> {
  const signal = AbortSignal.timeout(WAIT_MS);
  const held = await lease.get({ signal });
  if (held && holderOf(held).startsWith(`${name}_`)) await lease.release(held, new Date(), { signal });
}
