// What a part of the environment is: a process that the guardian keeps, described by data alone, so that
// any process that can read the description can stop it and start it again.
import { readFile, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { ask } from "./guardian-client.ts";
import type { Command } from "./guardian-protocol.ts";
import { answers, type Probe } from "./probe.ts";

export type PartName =
  | "etcd"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "postgres"
  | "s3"
  | "provider"
  /** Those of test/cluster. */
  | "machine"
  | "door-inside"
  | "door-outside"
  | "containerd"
  | "kube-scheduler"
  | "kubelet"
  | "kube-proxy";

/** A command that goes on until it is stopped, and how to see that it answers. */
export interface PartPlan extends Command {
  readonly name: PartName;
  readonly ready: Probe;
}

/** One process of the environment, for tests of outages. Port and data stay the same over a restart. */
export interface Part {
  readonly name: PartName;
  readonly logFile: string;
  /** The process id, or undefined while the part is down. */
  pid(): Promise<number | undefined>;
  /** Sends the signal (SIGKILL unless told) to the part and its children, and waits until the part has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Ends the part in good order; SIGKILL after 20 s. */
  stop(): Promise<void>;
  /** Starts the part again and waits until it answers. */
  start(signal?: AbortSignal): Promise<void>;
  /** Freezes the part and its children: connections stay open and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** The part ended before it answered. */
export class PartEnded extends Error {
  readonly log: string;
  constructor(name: string, how: string, log: string) {
    super(`cannot start ${name}: it ended with ${how} before it answered; its last words:\n${log}`);
    this.log = log;
  }
}

const READY_LIMIT_MS = 90_000;
const STOP_LIMIT_MS = 20_000;
const START_ATTEMPTS = 20;
const BETWEEN_STARTS_MS = 250;
const LOG_TAIL_CHARACTERS = 3_000;
/** Ends of a start that are worth another one: the port, or the memory of a process that is just dying. */
const TRANSIENT = /address already in use|EADDRINUSE|pre-existing shared memory block/i;

/** True when the part could not have its port. */
export function lostItsPort(error: unknown): boolean {
  return error instanceof PartEnded && TRANSIENT.test(error.log);
}

/** What a command has logged since `from`. */
async function lastWords(command: Command, from: number): Promise<string> {
  const log = await readFile(command.logFile).catch(() => Buffer.alloc(0));
  return log.subarray(from).toString("utf8").slice(-LOG_TAIL_CHARACTERS);
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

async function untilItAnswers(plan: PartPlan, signal: AbortSignal): Promise<"ready"> {
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 1.5, 200)) {
    signal.throwIfAborted();
    if (await answers(plan.ready, signal)) return "ready";
    await delay(waitMs, undefined, { signal });
  }
}

/** Starts a part and waits until it answers. Throws PartEnded, or the signal's reason, or a timeout after 90 s. */
export async function startPart(socketPath: string, plan: PartPlan, signal?: AbortSignal): Promise<void> {
  const logged = await sizeOf(plan.logFile);
  await ask(socketPath, { type: "start", command: plan });
  const finished = new AbortController();
  const limit = AbortSignal.timeout(READY_LIMIT_MS);
  const stop = AbortSignal.any([finished.signal, limit, ...(signal ? [signal] : [])]);
  const ready = untilItAnswers(plan, stop);
  const ended = ask(socketPath, { type: "exit", name: plan.name }, stop);
  try {
    const first = await Promise.race([ready, ended]);
    if (first !== "ready") throw new PartEnded(plan.name, first.how ?? "no status", await lastWords(plan, logged));
  } catch (error) {
    if (!limit.aborted) throw error;
    throw new Error(
      `cannot start ${plan.name}: no answer within ${READY_LIMIT_MS / 1000} s; its last words:\n${await lastWords(plan, logged)}`,
      { cause: error },
    );
  } finally {
    finished.abort();
    await Promise.allSettled([ready, ended]);
  }
}

/** Runs a command to its end through the guardian. Throws when it fails. */
export async function runCommand(socketPath: string, command: Command, signal?: AbortSignal): Promise<void> {
  const logged = await sizeOf(command.logFile);
  await ask(socketPath, { type: "start", command });
  const { how } = await ask(socketPath, { type: "exit", name: command.name }, signal);
  if (how !== "status 0") throw new PartEnded(command.name, how ?? "no status", await lastWords(command, logged));
}

async function startAgain(socketPath: string, plan: PartPlan, signal?: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await startPart(socketPath, plan, signal);
      return;
    } catch (error) {
      if (!lostItsPort(error) || attempt === START_ATTEMPTS) throw error;
      await delay(BETWEEN_STARTS_MS, undefined, signal ? { signal } : {});
    }
  }
}

/** The handle of a part, made from its plan; works from any process of the same user. */
export function makePart(socketPath: string, plan: PartPlan): Part {
  const name = plan.name;
  const send = async (signal: NodeJS.Signals): Promise<void> => {
    await ask(socketPath, { type: "signal", name, signal });
  };
  const end = async (signal: NodeJS.Signals) => {
    await send(signal);
    await send("SIGCONT");
    await ask(socketPath, { type: "exit", name }, AbortSignal.timeout(STOP_LIMIT_MS));
  };
  return {
    name,
    logFile: plan.logFile,
    pid: async () => (await ask(socketPath, { type: "status", name })).pid,
    kill: (signal = "SIGKILL") => end(signal),
    stop: () => end(plan.stopSignal).catch(() => end("SIGKILL")),
    start: (signal) => startAgain(socketPath, plan, signal),
    pause: () => send("SIGSTOP"),
    resume: () => send("SIGCONT"),
  };
}
