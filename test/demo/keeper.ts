// Keeps one operator process running, as a Deployment would: one that ends by itself is replaced. It can be killed on purpose.
import type { Installation } from "../operator/installation.ts";
import { startOperator } from "../operator/process.ts";
import type { OperatorProcess } from "../operator/process.ts";

export interface Keeper {
  /** SIGKILL: it hears nothing of it and writes nothing more. Starts no other. */
  kill(): Promise<void>;
  /** After `kill`. */
  restart(): void;
  /** Resolves when the process that runs now leads. Rejects on abort, and when the operator can't be kept running. */
  leading(signal: AbortSignal): Promise<void>;
  /** Ends it in good order. */
  stop(): Promise<void>;
}

export interface KeeperOptions {
  readonly variables: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly say: (text: string) => void;
}

/** Ends by itself this often at most before it is given up. */
const MAX_REPLACEMENTS = 5;

export function startKeeper(installation: Pick<Installation, "variables">, options: KeeperOptions): Keeper {
  let expected = false;
  let replacements = 0;
  let current: OperatorProcess = start();

  function start(): OperatorProcess {
    expected = false;
    const started = startOperator(installation, options);
    void started.ended.then((how) => {
      if (!expected) replace(how);
    });
    return started;
  }

  function replace(how: number | NodeJS.Signals): void {
    replacements += 1;
    const again = replacements <= MAX_REPLACEMENTS;
    options.say(
      `the operator ended by itself (${how}; its log: ${options.logFile})${again ? ": another one starts" : ""}`,
    );
    if (again) current = start();
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    expected = true;
    current.kill(signal);
    await current.ended;
  }

  return {
    kill: () => end("SIGKILL"),
    restart: () => {
      current = start();
    },
    leading: async (signal) => {
      for (;;) {
        const asked = current;
        const led = asked
          .logged(({ event }) => event === "leader.started", signal)
          .then(
            () => true,
            (error: unknown) => {
              signal.throwIfAborted();
              if (asked === current) throw error; // it was not replaced
              return false;
            },
          );
        if (await led) return;
      }
    },
    stop: () => end("SIGTERM"),
  };
}
