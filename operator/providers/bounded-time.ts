// A time limit on synchronous work, for expressions over what strangers sent: a regular expression or nested loops may else hold the
// process for minutes. The work must be pure: it is cut off at any point.
import { Script, createContext } from "node:vm";

/** Thrown by a TimeLimit alone. */
export class OutOfTime extends Error {
  constructor(limitMs: number) {
    super(`cannot finish within ${limitMs} ms`);
    this.name = "OutOfTime";
  }
}

/**
 * Gives the work's own value or throw. A watchdog thread costs some 0.1 ms, and on a busy machine it is waited for some
 * milliseconds: wrap a whole reading, not each step of it, and nothing that is surely short.
 */
export type TimeLimit = <Value>(limitMs: number, work: () => Value) => Value;

/** Make one and keep it: it takes a few milliseconds. */
export function makeTimeLimit(): TimeLimit {
  const script = new Script("work()");
  const sandbox: { work: (() => unknown) | undefined } = { work: undefined };
  const context = createContext(sandbox, { codeGeneration: { strings: false, wasm: false } });

  return <Value>(limitMs: number, work: () => Value): Value => {
    sandbox.work = work;
    try {
      return script.runInContext(context, { timeout: limitMs }) as Value;
    } catch (error) {
      // Made by the virtual machine itself, so it may be of another realm: known by its code.
      const { code } = (error ?? {}) as { readonly code?: unknown };
      throw code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new OutOfTime(limitMs) : error;
    } finally {
      sandbox.work = undefined;
    }
  };
}
