// Inspects stored files in threads of their own, one file per thread at a time.
import { Worker } from "node:worker_threads";
import type { Slots } from "../../outbound/slots.ts";
import { unreachable } from "../../task/unreachable.ts";
import { Interruption } from "../interruption.ts";
import type { Container } from "../media-type.ts";
import type { FromWorker, Inspection, ToWorker } from "./inspection.ts";

export interface StoredFile {
  readonly size: number;
  readonly container: Container;
  /** Must give exactly `length` bytes, or throw. */
  readonly read: (offset: number, length: number, signal: AbortSignal) => Promise<Uint8Array>;
}

export interface Inspector {
  /** Never throws for what the file does. Throws what `read` throws, and the signal's reason. */
  inspect(file: StoredFile, signal: AbortSignal): Promise<Inspection>;
  close(): Promise<void>;
}

/** How long a thread may work on what it was given before it counts as hung. */
const SILENCE_MS = 20_000;
const START_MS = 30_000;
/** A thread is replaced after so many files, so that nothing can build up in its memory. */
const FILES_PER_THREAD = 500;
const HOSTILE: Inspection = { outcome: "broken", why: "reading it takes too long, or crashes the reader" };

interface Thread {
  readonly worker: Worker;
  /** How many files it has looked into. */
  files: number;
}

/** `slots` bounds the number of threads. Threads start when first needed and do not keep the process alive. */
export function makeInspector(slots: Slots, silenceMs: number = SILENCE_MS): Inspector {
  const idle: Thread[] = [];
  const busy = new Set<Thread>();

  const look = async (thread: Thread, file: StoredFile, signal: AbortSignal): Promise<Inspection> => {
    busy.add(thread);
    let isReusable = false;
    try {
      const inspection = await converse(thread.worker, { file, signal, silenceMs });
      thread.files += 1;
      isReusable = inspection !== HOSTILE && thread.files < FILES_PER_THREAD;
      return inspection;
    } finally {
      busy.delete(thread);
      if (isReusable) idle.push(thread);
      else await thread.worker.terminate();
    }
  };

  return {
    async inspect(file, signal) {
      const release = await slots.take(signal);
      try {
        const used = idle.pop();
        const inspection = used && (await look(used, file, signal));
        // A thread that has seen other files may fail for their sake: only a fresh one convicts a file.
        if (inspection && inspection !== HOSTILE) return inspection;
        return await look(await startThread(signal), file, signal);
      } finally {
        release();
      }
    },
    async close() {
      const threads = [...idle.splice(0), ...busy];
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

/** A thread that does not start is our own fault, not the file's: an interruption, so that nothing is thrown away. */
async function startThread(signal: AbortSignal): Promise<Thread> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { name: "inspector", env: {}, stdout: true });
  worker.unref();
  // It may fail while nobody waits for it, too; without a listener that would end the whole process.
  worker.on("error", () => undefined);
  const answer = await exchange(worker, { kind: "begin" }, { signal, silenceMs: START_MS });
  if (answer?.kind === "ready") return { worker, files: 0 };
  await worker.terminate();
  throw new Interruption("inspector-unavailable");
}

interface Conversation {
  readonly file: StoredFile;
  readonly signal: AbortSignal;
  readonly silenceMs: number;
}

/** Answers the thread's wishes for blocks until it has found something, hangs or dies. */
async function converse(worker: Worker, { file, signal, silenceMs }: Conversation): Promise<Inspection> {
  let message: ToWorker = { kind: "inspect", size: file.size, container: file.container };
  for (;;) {
    const answer = await exchange(worker, message, { signal, silenceMs });
    if (!answer) return HOSTILE;
    switch (answer.kind) {
      case "need":
        message = { kind: "block", data: await file.read(answer.offset, answer.length, signal) };
        break;
      case "found":
        return answer.inspection;
      case "failed":
      case "ready":
        return HOSTILE;
      default:
        return unreachable(answer);
    }
  }
}

/** One message to the thread and the next one from it; undefined when it hangs or dies. */
function exchange(
  worker: Worker,
  message: ToWorker,
  { signal, silenceMs }: Pick<Conversation, "signal" | "silenceMs">,
): Promise<FromWorker | undefined> {
  signal.throwIfAborted();
  if (worker.threadId < 0) return Promise.resolve(undefined); // it died while nobody waited
  return new Promise((resolve, reject) => {
    const settle = (then: () => void): void => {
      clearTimeout(silence);
      worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
      signal.removeEventListener("abort", onAbort);
      then();
    };
    const onMessage = (answer: FromWorker): void => settle(() => resolve(answer));
    const onEnd = (): void => settle(() => resolve(undefined));
    const onAbort = (): void => settle(() => reject(signal.reason as Error));
    const silence = setTimeout(onEnd, silenceMs);
    worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.postMessage(message);
  });
}
