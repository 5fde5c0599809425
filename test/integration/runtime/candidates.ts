// Candidates as processes of their own, and who wrote what in which order.
import { spawn, type ChildProcess } from "node:child_process";
import { on, once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ElectorSettings } from "../../../operator/runtime/elector.ts";
import type { AttachedEnvironment } from "../../env/attach.ts";
import type { CandidateArguments } from "./candidate-process.ts";
import { follow, later, type Cluster } from "./cluster.ts";

const PROGRAM = join(import.meta.dirname, "candidate-process.ts");
const CLOCK_STEP = import.meta.resolve("./clock-step.ts");

export interface CandidateProcess {
  readonly child: ChildProcess;
  /** From now on it hears signals. Rejects when it ends before. */
  readonly stands: Promise<void>;
  /** Rejects when it ends without having led. */
  readonly led: Promise<void>;
  /** The exit code or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface Candidates {
  /** Starts a process whose wall clock steps with SIGUSR2. */
  readonly start: (identity: string) => CandidateProcess;
  /** Who wrote, in the order in which the server took it. */
  readonly writers: readonly string[];
  /** Resolves when `writers` satisfies the condition. */
  readonly until: (condition: (writers: readonly string[]) => boolean) => Promise<void>;
}

export async function makeCandidates(
  environment: AttachedEnvironment,
  { namespace, direct, put }: Cluster,
  settings: ElectorSettings,
): Promise<Candidates> {
  await put("work", {});
  const { cache, until } = follow(direct, namespace);
  const writers: string[] = [];
  cache.onChange((key, map) => {
    if (key === `${namespace}/work` && map?.data?.by !== undefined) writers.push(map.data.by);
  });
  const { apiServerUrl: server, caFile, adminToken: token } = environment;
  return {
    start: (identity) => start({ server, caFile, token, namespace, identity, settings }),
    writers,
    until: (condition) => until(() => condition(writers)),
  };
}

function start(given: CandidateArguments): CandidateProcess {
  const child = spawn(process.execPath, ["--import", CLOCK_STEP, PROGRAM, JSON.stringify(given)], {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit").then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  later(() => {
    child.kill("SIGKILL");
    return ended;
  });
  const lines = createInterface({ input: child.stdout });
  const said = async (word: string): Promise<void> => {
    for await (const [line] of on(lines, "line", { close: ["close"] })) if (line === word) return;
    throw new Error(`${given.identity} ended with ${String(await ended)} and was never ${word}`);
  };
  const heard = { stands: said("standing"), led: said("leading") };
  for (const promise of Object.values(heard)) promise.catch(() => undefined); // who needs it awaits it
  return { child, ended, ...heard };
}
