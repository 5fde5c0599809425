// Starts the guardian of an environment and talks to it. Whoever starts it holds its standard input: when that closes,
// the environment goes.
import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { Socket, createConnection } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { socketIn, type Answer, type Hello, type Question } from "./guardian-protocol.ts";

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

export interface Guardian extends Hello {
  readonly socketPath: string;
  /** Ends every process, removes the folder, and resolves when both are done. */
  end(): Promise<void>;
}

function letGo(child: ChildProcessByStdio<Writable, Readable, null>): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
}

/** Starts the guardian of a new folder. It ends with this process, however this process ends. */
export async function startGuardian(): Promise<Guardian> {
  const program = join(import.meta.dirname, "guardian.ts");
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
    detached: true, // a group of its own: neither Ctrl-C in the terminal nor a kill of our group reaches it
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [line] = (await Promise.race([
    once(child.stdout, "data"),
    exited.then(() => Promise.reject(new Error("cannot start the guardian: it ended at once"))),
  ])) as [Buffer];
  const hello = JSON.parse(line.toString()) as Hello;
  let expected = false;
  const gone = exited.then(() => {
    if (!expected) abandon(child, hello.folder);
  });
  letGo(child);
  return {
    ...hello,
    socketPath: socketIn(hello.folder),
    end: async () => {
      expected = true;
      child.ref();
      child.stdin.end();
      const limit = setTimeout(() => abandon(child, hello.folder), END_LIMIT_MS);
      await gone;
      clearTimeout(limit);
    },
  };
}

/** The guardian was killed, or hangs: its group is still there to be ended. */
function abandon(child: ChildProcess, folder: string): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // no process of the group is left
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
