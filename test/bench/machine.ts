// Where the figures come from: the machine, the programs, and how busy it was.
import { cpus, loadavg, totalmem } from "node:os";
import { OBJECT_STORE_VERSION, KUBERNETES_VERSION } from "../env/build.ts";
import { watchLoad, type Load } from "./process-usage.ts";

export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryGb: number;
  readonly node: string;
  readonly kubernetes: string;
  readonly objectStore: string;
  /** Of one minute: when the bench began, and when it ended. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** Shares of the machine's time while the bench ran. */
  readonly stolen: number;
  readonly idle: number;
}

/** Begins to watch; what it returns describes the machine since then. */
export function watchMachine(): () => Machine {
  const since = watchLoad();
  const [loadBefore = 0] = loadavg();
  return () => ({ ...described(), loadBefore, loadAfter: loadavg()[0] ?? 0, ...rounded(since()) });
}

function described(): Pick<Machine, "cores" | "model" | "memoryGb" | "node" | "kubernetes" | "objectStore"> {
  const cores = cpus();
  return {
    cores: cores.length,
    model: cores[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    kubernetes: KUBERNETES_VERSION,
    objectStore: OBJECT_STORE_VERSION,
  };
}

function rounded({ stolen, idle }: Load): Load {
  const percent = (share: number): number => Math.round(share * 100) / 100;
  return { stolen: percent(stolen), idle: percent(idle) };
}
