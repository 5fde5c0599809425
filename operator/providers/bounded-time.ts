// A time limit on synchronous work, for expressions over what strangers sent: a regular expression or nested loops may else hold the
// process for minutes. The work must be pure: it is cut off at any point.
import { Script, createContext } from "node:vm";

/** Thrown by `withinTime` alone. */
export class OutOfTime extends Error {
  constructor(limitMs: number) {
    super(`cannot finish within ${limitMs} ms`);
    this.name = "OutOfTime";
  }
}

const script = new Script("work()");

/** The work's own value or throw. A watchdog thread costs some 0.1 ms: wrap a whole reading, not each step of it. */
export function withinTime<Value>(limitMs: number, work: () => Value): Value {
  const sandbox = createContext({ work }, { codeGeneration: { strings: false, wasm: false } });
  try {
    return script.runInContext(sandbox, { timeout: limitMs }) as Value;
  } catch (error) {
    // Made by the virtual machine itself, so it may be of another realm: known by its code.
    const { code } = (error ?? {}) as { readonly code?: unknown };
    throw code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new OutOfTime(limitMs) : error;
  }
}
