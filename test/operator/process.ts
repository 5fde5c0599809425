// The operator as a process of its own: started, killed at any moment, started again. Its log goes to a file.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Installation } from "./installation.ts";

export interface LogLine {
  readonly event: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

export interface OperatorProcess {
  readonly pid: number;
  /** How it ended: the exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<number | NodeJS.Signals>;
  /** The first line, past ones included, for which the predicate holds. Rejects when the process ends first, or on abort. */
  logged(predicate: (line: LogLine) => boolean, signal: AbortSignal): Promise<LogLine>;
}

const MAIN = join(import.meta.dirname, "..", "..", "operator", "main.ts");
const TETHER = import.meta.resolve("./tether.ts");
/** Half of the CPU that a start costs is compiling the same files again. */
const COMPILE_CACHE = join(import.meta.dirname, "..", "..", ".cache", "compile");
/** Lines kept for `logged`. */
const KEPT_LINES = 5000;

export interface OperatorOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly logFile?: string;
  /** The entry point; operator/main.ts unless told. */
  readonly main?: string;
}

export function startOperator(
  installation: Pick<Installation, "variables">,
  options: OperatorOptions = {},
): OperatorProcess {
  const { variables } = installation;
  const environment = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...variables, ...options.variables };
  const child = spawn(process.execPath, ["--import", TETHER, options.main ?? MAIN], {
    env: environment,
    stdio: ["pipe", "pipe", "pipe"], // the first is the tether
    detached: true, // Ctrl-C in the terminal is for us: we end it in good order
  });
  const lines = readLines(child, options.logFile);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? code ?? 1));
  });
  const kill = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  return {
    pid: child.pid ?? 0,
    ended,
    kill,
    stop: () => {
      kill("SIGTERM");
      return ended;
    },
    logged: (predicate, signal) => lines.first(predicate, ended, signal),
  };
}

interface Lines {
  first(predicate: (line: LogLine) => boolean, ended: Promise<unknown>, signal: AbortSignal): Promise<LogLine>;
}

function readLines(child: ChildProcess, logFile: string | undefined): Lines {
  const kept: LogLine[] = [];
  const listeners = new Set<(line: LogLine) => void>();
  const file = logFile === undefined ? undefined : createWriteStream(logFile, { flags: "a" });
  child.stderr?.on("data", (data: Buffer) => file?.write(data));
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (text) => {
      file?.write(`${text}\n`);
      const line = parse(text);
      if (!line) return;
      kept.push(line);
      if (kept.length > KEPT_LINES) kept.shift();
      for (const listener of listeners) listener(line);
    });
  }
  return { first: (predicate, ended, signal) => firstLine({ kept, listeners, predicate }, ended, signal) };
}

interface Search {
  readonly kept: readonly LogLine[];
  readonly listeners: Set<(line: LogLine) => void>;
  readonly predicate: (line: LogLine) => boolean;
}

function firstLine(
  { kept, listeners, predicate }: Search,
  ended: Promise<unknown>,
  signal: AbortSignal,
): Promise<LogLine> {
  const known = kept.find(predicate);
  if (known) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    const listener = (line: LogLine): void => {
      if (predicate(line)) settle(() => resolve(line));
    };
    const settle = (act: () => void): void => {
      listeners.delete(listener);
      act();
    };
    listeners.add(listener);
    void ended.then((how) => settle(() => reject(new Error(`the operator ended first (${String(how)})`))));
    signal.addEventListener("abort", () => settle(() => reject(signal.reason as Error)), { once: true });
  });
}

function parse(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "event" in value ? (value as LogLine) : undefined;
  } catch {
    return undefined; // Node's own words, such as a stack: they are in the file
  }
}
