// The replicas of the operator: one leads, one stands by. Which of them leads is seen from its log.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCallProxy, type CallProxy } from "../../integration/runtime/call-proxy.ts";
import type { Installation } from "../../operator/installation.ts";
import { startOperator, type OperatorProcess } from "../../operator/process.ts";

export interface Replica {
  readonly process: OperatorProcess;
  /** What it asked of the API server; undefined when nobody listens. */
  readonly proxy: CallProxy | undefined;
}

export interface Lease {
  readonly durationSeconds: number;
  readonly renewSeconds: number;
  readonly retrySeconds: number;
}

/** The defaults of the operator. */
export const LEASE: Lease = { durationSeconds: 15, renewSeconds: 10, retrySeconds: 2 };

export interface Replicas {
  /** One more, once it has read everything there is. */
  add(options?: { readonly isListenedTo: boolean }): Promise<Replica>;
  /** The one that leads, as soon as one does. */
  leader(): Promise<Replica>;
  /** It has ended, or will: nobody waits for it any more. */
  forget(replica: Replica): Promise<void>;
  stop(): Promise<void>;
}

export function makeReplicas(installation: Installation, signal: AbortSignal): Replicas {
  const running = new Set<Replica>();
  let started = 0;
  const forget = async (replica: Replica): Promise<void> => {
    running.delete(replica);
    await replica.proxy?.close();
  };
  return {
    add: async ({ isListenedTo } = { isListenedTo: false }) => {
      const name = `replica-${(started += 1)}`;
      const proxy = isListenedTo ? await startCallProxy(installation.environment) : undefined;
      const variables = {
        POD_NAME: name,
        LEASE_DURATION_SECONDS: String(LEASE.durationSeconds),
        LEASE_RENEW_DEADLINE_SECONDS: String(LEASE.renewSeconds),
        LEASE_RETRY_SECONDS: String(LEASE.retrySeconds),
        ...(proxy && { KUBECONFIG: kubeconfigThrough(installation, proxy.port, name) }),
      };
      const logFile = join(installation.environment.folder, "logs", `${name}.log`);
      const replica = { process: startOperator(installation, { variables, logFile }), proxy };
      running.add(replica);
      await replica.process.logged(({ event, name: cache }) => event === "watch.listed" && cache === "tasks", signal);
      return replica;
    },
    leader: () => Promise.any([...running].map((replica) => leads(replica, signal))),
    forget,
    stop: async () => {
      for (const { process } of running) process.kill("SIGKILL");
      await Promise.all([...running].map(async (replica) => replica.process.ended.then(() => forget(replica))));
    },
  };
}

async function leads(replica: Replica, signal: AbortSignal): Promise<Replica> {
  await replica.process.logged(({ event }) => event === "leader.started", signal);
  return replica;
}

/** The same account, over another way. */
function kubeconfigThrough({ environment, kubeconfigPath }: Installation, port: number, name: string): string {
  const path = join(environment.folder, `${name}.kubeconfig`);
  const text = readFileSync(kubeconfigPath, "utf8").replaceAll(environment.apiServerUrl, `https://127.0.0.1:${port}`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
