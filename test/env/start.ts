// What every part needs while the environment starts: the folder, the guardian, a port that is really free, and a clock.
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { lostItsPort, runCommand, startPart, type Command, type PartName, type PartPlan } from "./part.ts";

export interface Timing {
  readonly name: string;
  /** Since the environment began to start. */
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Start {
  readonly folder: string;
  readonly signal: AbortSignal;
  logFile(name: string): string;
  say(line: string): void;
  /** Starts a part on a free port, on another one when that was lost to another process; returns the port. */
  part(plan: (port: number) => PartPlan): Promise<number>;
  /** Replaces the plan by which a part is started again. */
  record(plan: PartPlan): void;
  /** Runs a command to its end. */
  command(command: Command): Promise<void>;
}

export interface Started {
  readonly plans: Partial<Record<PartName, PartPlan>>;
  readonly timings: readonly Timing[];
}

export interface StartOptions {
  readonly folder: string;
  readonly socketPath: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const PORT_ATTEMPTS = 8;

/** The start of one environment, and the record of what it has started. */
export function makeStart({ folder, socketPath, signal, say }: StartOptions): {
  readonly start: Start;
  readonly started: Started;
} {
  const began = performance.now();
  const plans: Partial<Record<PartName, PartPlan>> = {};
  const timings: Timing[] = [];

  async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const fromMs = performance.now() - began;
    const result = await work();
    timings.push({ name, fromMs, untilMs: performance.now() - began });
    return result;
  }

  async function onFreePort(plan: (port: number) => PartPlan): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const candidate = plan(port);
      try {
        await timed(candidate.name, () => startPart(socketPath, candidate, signal));
        plans[candidate.name] = candidate;
        return port;
      } catch (error) {
        if (!lostItsPort(error) || attempt === PORT_ATTEMPTS) throw error;
      }
    }
  }

  const start: Start = {
    folder,
    signal,
    say,
    logFile: (name) => join(folder, "logs", `${name}.log`),
    part: onFreePort,
    record: (plan) => void (plans[plan.name] = plan),
    command: (command) => timed(command.name, () => runCommand(socketPath, command, signal)),
  };
  return { start, started: { plans, timings } };
}
