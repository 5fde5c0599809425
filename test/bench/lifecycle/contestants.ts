// Who does the work of a run: the operator, and a loop without its thoughts. Each is one process with the same concurrency.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { startOperator } from "../../operator/process.ts";
import { usageOf } from "../process-usage.ts";
import type { Stage } from "./stage.ts";

/** Tasks in work at once, of either. */
export const AT_ONCE = 16;
const CONNECTIONS = 10;

export interface Worker {
  readonly pid: number;
  /** CPU seconds and peak memory so far. */
  usage(): ReturnType<typeof usageOf>;
  /** Ends it in good order; rejects when it does not end so. */
  stop(): Promise<void>;
  /** Rejects when it ends by itself. */
  readonly failed: Promise<never>;
}

export interface Contestant {
  readonly name: string;
  start(stage: Stage): Worker;
}

export const operator: Contestant = {
  name: "operator",
  start: ({ environment, installation }) => {
    const process = startOperator(installation, {
      logFile: join(environment.folder, "logs", "operator.log"),
      variables: {
        TASK_WORKERS: String(AT_ONCE),
        FETCH_CONCURRENCY: String(AT_ONCE),
        DATABASE_POOL_SIZE: String(CONNECTIONS),
        LOG_LEVEL: "info",
      },
    });
    return workerOf(process.pid, process.ended, () => process.kill("SIGTERM"));
  },
};

export const bareLoop: Contestant = {
  name: "bare-loop",
  start: ({ environment, installation }) => {
    const program = join(import.meta.dirname, "bare-loop.ts");
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env.PATH,
        ...installation.variables,
        ENVIRONMENT: environment.coordinatesPath,
        AT_ONCE: String(AT_ONCE),
        CONNECTIONS: String(CONNECTIONS),
      },
      stdio: ["pipe", "ignore", "inherit"],
    });
    const ended = new Promise<number | NodeJS.Signals>((resolve) => {
      child.once("exit", (code, signal) => resolve(signal ?? code ?? 1));
    });
    return workerOf(child.pid ?? 0, ended, () => child.kill("SIGTERM"));
  },
};

function workerOf(pid: number, ended: Promise<number | NodeJS.Signals>, kill: () => void): Worker {
  let isWanted = false;
  const failed = ended.then((how): never => {
    throw new Error(isWanted ? "stopped" : `cannot go on: the process ended by itself (${how})`);
  });
  failed.catch(() => undefined);
  return {
    pid,
    failed,
    usage: () => usageOf(pid),
    stop: async () => {
      isWanted = true;
      kill();
      const how = await ended;
      if (how !== 0) throw new Error(`cannot go on: the process ended with ${how} when it was stopped`);
    },
  };
}
