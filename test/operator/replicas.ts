// Replicas that share shards out, and what was seen of it: who held which Lease after whom, and whose terms there were.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadKubeConfig } from "../../operator/kube/kubeconfig.ts";
import { holderOf, LEASES } from "../../operator/runtime/lease.ts";
import type { Lease } from "../../operator/runtime/lease.ts";
import { makeReflector } from "../../operator/runtime/reflector.ts";
import { makeTransport } from "../../operator/runtime/transport.ts";
import { LEASE, NAMESPACE } from "./installation.ts";
import type { Installation } from "./installation.ts";
import { startOperator } from "./process.ts";
import type { OperatorProcess } from "./process.ts";

/** A pod: when its process ends by itself, such as for a lease that it lost on a busy machine, another one takes its place. */
export interface Replica {
  readonly name: string;
  readonly logFile: string;
  /** SIGTERM, and waits for the end; nothing takes its place. */
  stop(): Promise<number | NodeJS.Signals>;
  /** SIGKILL; nothing takes its place. */
  kill(): void;
}

export function startReplica(
  installation: Installation,
  name: string,
  variables: Readonly<Record<string, string>>,
): Replica {
  const logFile = join(installation.environment.folder, "logs", `operator-${name}.log`);
  let isOver = false;
  const start = (): OperatorProcess => {
    const process = startOperator(installation, { variables: { ...variables, POD_NAME: name }, logFile });
    void process.ended.then(() => {
      if (!isOver) current = start();
    });
    return process;
  };
  let current = start();
  return {
    name,
    logFile,
    stop: () => {
      isOver = true;
      return current.stop();
    },
    kill: () => {
      isOver = true;
      current.kill("SIGKILL");
    },
  };
}

/** What the replicas' logs tell, of these events. */
export async function toldBy(
  replicas: readonly Replica[],
  event: string,
): Promise<readonly (Readonly<Record<string, unknown>> & { readonly replica: string })[]> {
  const told = replicas.map(async ({ logFile, name }) => {
    const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => line.includes(`"${event}"`));
    return lines.map((line) => ({ ...(JSON.parse(line) as Record<string, unknown>), replica: name }));
  });
  return (await Promise.all(told)).flat();
}

export interface LeaseWatcher {
  /** The replica that holds each shard now; "" for nobody. */
  holders(): readonly string[];
  /** Every holder of a shard in order; "" where the Lease was given back. */
  history(shard: number): readonly string[];
  /** Members' Leases that there are. */
  members(): number;
  until(what: string, predicate: () => boolean, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function watchLeases({ environment }: Installation, shards: number): Promise<LeaseWatcher> {
  const transport = makeTransport({ kubeConfig: loadKubeConfig(environment.kubeconfigPath) });
  const watch = makeReflector<Lease>({ transport, kind: LEASES, namespace: NAMESPACE });
  const histories = Array.from({ length: shards }, (): string[] => []);
  const looking = new Set<() => void>();
  watch.onChange((_, lease) => {
    const shard = Number(new RegExp(`^${LEASE}-(\\d+)-of-${shards}$`).exec(lease?.metadata.name ?? "")?.[1] ?? NaN);
    const holder = holderOf(lease).split("_")[0] ?? "";
    const history = histories[shard];
    if (history && history.at(-1) !== holder) history.push(holder);
    for (const look of [...looking]) look();
  });
  const ending = new AbortController();
  const running = watch.run(ending.signal);
  await watch.whenSynced(AbortSignal.timeout(30_000));
  const holders = (): readonly string[] => histories.map((history) => history.at(-1) ?? "");
  return {
    holders,
    history: (shard) => histories[shard] ?? [],
    members: () => watch.list().filter(({ metadata }) => metadata.name.includes("-member-of-")).length,
    until: (what, predicate, signal) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!predicate()) return;
          looking.delete(look);
          resolve();
        };
        looking.add(look);
        signal.addEventListener("abort", () => reject(new Error(`waited in vain for ${what}: ${holders().join()}`)));
        look();
      }),
    stop: async () => {
      ending.abort();
      await running;
      await transport.close();
    },
  };
}
