// A contestant as a process of its own: started, ready, done, measured from outside, ended.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { usageOf, type Usage } from "../process-usage.ts";

/** How a contestant is started for one run. */
export interface Contestant {
  readonly name: string;
  command(run: { readonly namespace: string; readonly writes: number; readonly workers: number }): readonly string[];
}

export interface Running {
  readonly pid: number;
  /** Resolves when it has said the word; rejects when it ended before, with its last words. */
  said(word: "ready" | "done", signal: AbortSignal): Promise<void>;
  usage(): Usage;
  /** SIGTERM, SIGKILL if that is not heard, and waits for the end. */
  stop(): Promise<void>;
}

const STOP_MS = 5_000;
const KEPT_CHARACTERS = 2_000;

export function startContestant(command: readonly string[], kubeconfigPath: string): Running {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, KUBECONFIG: kubeconfigPath },
    stdio: ["pipe", "pipe", "pipe"], // the first is the tether: it ends when we do
    detached: true, // Ctrl-C in the terminal is for us: we end it in good order
  });
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    lastWords = (lastWords + text).slice(-KEPT_CHARACTERS);
  });
  const words = new Map<string, PromiseWithResolvers<undefined>>();
  const word = (name: string): PromiseWithResolvers<undefined> => {
    const known = words.get(name) ?? Promise.withResolvers<undefined>();
    words.set(name, known);
    return known;
  };
  createInterface({ input: child.stdout }).on("line", (line) => word(line).resolve(undefined));
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (code, signal) => resolve(`${signal ?? code ?? 1}: ${lastWords}`));
  });

  return {
    pid: child.pid ?? 0,
    said: (name, signal) => {
      const early = ended.then((how) => Promise.reject(new Error(`a contestant ended before it was ${name}: ${how}`)));
      return Promise.race([word(name).promise, early, rejectionBy(signal)]);
    },
    usage: () => usageOf(child.pid ?? 0),
    stop: async () => {
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
}
