// Starts the guardian of an environment and talks to it. Whoever starts it holds its standard input: when that closes,
// the environment goes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { socketIn, type Answer, type Question } from "./guardian-protocol.ts";

const END_LIMIT_MS = 30_000;
const ANSWER_LIMIT_BYTES = 65_536;

/** Throws when the guardian is gone or refuses; `exit` waits as long as the signal lets it. */
export async function ask(socketPath: string, question: Question, signal?: AbortSignal): Promise<Answer> {
  signal?.throwIfAborted();
  const socket = createConnection(socketPath);
  const abort = () => socket.destroy(new Error(`gave up waiting for ${question.type}`, { cause: signal?.reason }));
  signal?.addEventListener("abort", abort, { once: true });
  try {
    socket.write(`${JSON.stringify(question)}\n`);
    let text = "";
    for await (const chunk of socket.setEncoding("utf8")) {
      text += String(chunk);
      if (text.length > ANSWER_LIMIT_BYTES) throw new Error("cannot understand the guardian: its answer is too long");
    }
    if (text === "") throw new Error(`cannot ${question.type}: the environment is gone`);
    const answer = JSON.parse(text) as Answer;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  } finally {
    signal?.removeEventListener("abort", abort);
    socket.destroy();
  }
}

export interface Guardian {
  readonly pid: number;
  readonly socketPath: string;
  /** The first port of the block that is ours while the guardian lives; see ports.ts. */
  readonly portBlock: number;
  /** Ends every process, removes the folder, and resolves when both are done. */
  end(): Promise<void>;
}

/** Starts the guardian of a folder. It ends with this process, however this process ends. */
export async function startGuardian(folder: string): Promise<Guardian> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "guardian.ts"), folder],
    {
      detached: true, // a group of its own: neither Ctrl-C in the terminal nor a kill of our group reaches it
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  if (child.pid === undefined) throw new Error("cannot start the guardian: no process");
  const pid = child.pid;
  let expected = false;
  const exited = once(child, "exit").then(() => {
    if (!expected) abandon(pid, folder);
  });
  const [said] = (await Promise.race([
    once(child.stdout, "data"),
    exited.then(() => Promise.reject(new Error("cannot start the guardian: it ended at once"))),
  ])) as [Buffer];
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();
  return {
    pid,
    socketPath: socketIn(folder),
    portBlock: Number(said.toString()),
    end: async () => {
      expected = true;
      child.ref();
      child.stdin.end();
      const limit = setTimeout(() => abandon(pid, folder), END_LIMIT_MS);
      await exited;
      clearTimeout(limit);
    },
  };
}

/** The guardian was killed, or hangs: its group is still there to be ended. */
function abandon(pid: number, folder: string): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // no process of the group is left
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
