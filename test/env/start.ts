// What every part needs while the environment starts: the folder, the guardian, a port that is really free, and a clock.
import { join } from "node:path";
import { portsOf } from "./ports.ts";
import type { Guardian } from "./guardian-client.ts";
import type { Command } from "./guardian-protocol.ts";
import { lostItsPort, runCommand, startPart, type PartName, type PartPlan } from "./part.ts";

export interface Timing {
  readonly name: string;
  /** Since the environment began to start. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** As many as the hungriest part needs. */
export type Ports = readonly [number, number, number];

export interface Start {
  readonly folder: string;
  readonly signal: AbortSignal;
  logFile(name: string): string;
  say(line: string): void;
  /** Starts a part on free ports, on others when one was lost to another process; returns the ports. */
  part(plan: (ports: Ports) => PartPlan): Promise<Ports>;
  /** Runs a command to its end. */
  command(command: Command): Promise<void>;
}

export interface Started {
  readonly plans: Partial<Record<PartName, PartPlan>>;
  readonly timings: readonly Timing[];
}

export interface StartOptions {
  readonly guardian: Guardian;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const PORT_ATTEMPTS = 4;

/** The start of one environment, and the record of what it has started. */
export function makeStart({ guardian, signal, say }: StartOptions): {
  readonly start: Start;
  readonly started: Started;
} {
  const { folder, socketPath } = guardian;
  const nextPort = portsOf(guardian.portBlock);
  const began = performance.now();
  const plans: Partial<Record<PartName, PartPlan>> = {};
  const timings: Timing[] = [];

  async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const fromMs = performance.now() - began;
    const result = await work();
    timings.push({ name, fromMs, untilMs: performance.now() - began });
    return result;
  }

  async function onFreePorts(plan: (ports: Ports) => PartPlan): Promise<Ports> {
    for (let attempt = 1; ; attempt++) {
      const ports = [await nextPort(), await nextPort(), await nextPort()] as const;
      const candidate = plan(ports);
      try {
        await timed(candidate.name, () => startPart(socketPath, candidate, signal));
        plans[candidate.name] = candidate;
        return ports;
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
    part: onFreePorts,
    command: (command) => timed(command.name, () => runCommand(socketPath, command, signal)),
  };
  return { start, started: { plans, timings } };
}
