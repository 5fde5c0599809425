// Runs a fetch in a process of its own.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { z } from "zod";
import type { ChildOrder, ChildResult } from "./fetch-child.ts";

export interface RunningFetch {
  readonly process: ChildProcess;
  /** Its result; rejects when it was killed. */
  readonly result: Promise<z.infer<typeof ChildResult>>;
  kill(): Promise<void>;
}

export function startFetch(order: ChildOrder): RunningFetch {
  const child = spawn(process.execPath, ["--expose-gc", join(import.meta.dirname, "fetch-child.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {},
  });
  child.stdin.end(JSON.stringify(order));
  const result = text(child.stdout).then((output) => {
    const last = output.trim().split("\n").at(-1) ?? "";
    if (last === "") throw new Error("the fetch ended without a result");
    return JSON.parse(last) as z.infer<typeof ChildResult>;
  });
  result.catch(() => undefined);
  return {
    process: child,
    result,
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
