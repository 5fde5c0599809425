// The guardian of one environment, a process of its own: it starts every part, and when its standard input closes
// (because its parent asked, ended, crashed or was killed) it ends all of them and removes the folder, which it made.
// It must not know what the parts are.
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { makeFolder } from "./folder.ts";
import { socketIn, type Answer, type Command, type Hello, type Question } from "./guardian-protocol.ts";
import { holdBlock } from "./ports.ts";
import { releaseSharedMemory } from "./shared-memory.ts";
import { signalTree } from "./process-tree.ts";

interface Process {
  readonly child: ChildProcess;
  readonly command: Command;
  readonly exited: Promise<string>;
  how?: string;
}

const GRACE_MS = 5_000;
const QUESTION_LIMIT_BYTES = 65_536;

process.umask(0o077);
const folder = makeFolder();
const processes = new Map<string, Process>();
let ending = false;

/** Undefined when it is not running. */
function pidOf(name: string): number | undefined {
  const entry = processes.get(name);
  return entry?.how === undefined ? entry?.child.pid : undefined;
}

function start(command: Command): Answer {
  if (ending) return { error: `cannot start ${command.name}: the environment is ending` };
  if (pidOf(command.name) !== undefined) return { error: `cannot start ${command.name}: it is running` };
  const log = openSync(command.logFile, "a", 0o600);
  const [file, ...args] = command.command;
  const child = spawn(file, args, {
    ...command.user,
    cwd: "/",
    env: { ...process.env, ...command.variables },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`the error "${error.message}"`));
    child.once("exit", (status, signal) => resolve(signal === null ? `status ${String(status)}` : `signal ${signal}`));
  });
  const entry: Process = { child, command, exited };
  processes.set(command.name, entry);
  void exited.then((how) => (entry.how = how));
  return { pid: child.pid };
}

function signalPart(name: string, signal: NodeJS.Signals): Answer {
  const pid = pidOf(name);
  if (pid === undefined) return {};
  // In good order a parent ends its own children; freezing and killing must reach them as well.
  const withChildren = signal === "SIGKILL" || signal === "SIGSTOP" || signal === "SIGCONT";
  if (withChildren) signalTree(pid, signal);
  else process.kill(pid, signal);
  return {};
}

async function exitOf(name: string): Promise<Answer> {
  const entry = processes.get(name);
  return entry ? { how: await entry.exited } : {};
}

async function answer(question: Question): Promise<Answer> {
  switch (question.type) {
    case "start":
      return start(question.command);
    case "signal":
      return signalPart(question.name, question.signal);
    case "exit":
      return exitOf(question.name);
    case "status":
      return { pid: pidOf(question.name) };
  }
}

function serve(socket: Socket): void {
  let text = "";
  socket.on("error", () => socket.destroy());
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.length > QUESTION_LIMIT_BYTES) return socket.destroy();
    if (!text.endsWith("\n")) return;
    answer(JSON.parse(text) as Question).then(
      (reply) => socket.end(JSON.stringify(reply)),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  const alive = [...processes.values()].filter((entry) => entry.how === undefined);
  for (const { child, command } of alive) {
    if (child.pid === undefined) continue;
    if (command.quitSignal === "SIGKILL") signalTree(child.pid, "SIGKILL");
    else {
      signalTree(child.pid, "SIGCONT");
      child.kill(command.quitSignal);
    }
  }
  const force = setTimeout(() => {
    for (const { child, how } of alive)
      if (how === undefined && child.pid !== undefined) signalTree(child.pid, "SIGKILL");
  }, GRACE_MS);
  await Promise.all(alive.map((entry) => entry.exited));
  clearTimeout(force);
  releaseSharedMemory(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  process.exit(0);
}

process.stdin.resume().on("close", () => void end());
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void end());
process.stdout.on("error", () => void end());
const hello: Hello = { folder, portBlock: await holdBlock() };
createServer({ allowHalfOpen: true }, serve).listen(socketIn(folder), () =>
  process.stdout.write(`${JSON.stringify(hello)}\n`),
);
