// What one task's process has been ordered to do at a port call, as files that both sides read: the harness writes the order
// before it creates the task, the process writes down what it passed before it dies.
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PortCall } from "./port-calls.ts";

export type Moment = "before" | "after";

/** `wire` is the moment before the first byte of a submit goes to its socket, after everything that could still hold it back. */
export type Point = PortCall | "wire";

export interface Order {
  readonly call: Point;
  readonly moment: Moment;
  /** The first time that the task passes the call, or the second, over all processes. */
  readonly pass: 1 | 2;
  /** What the process sends itself there. */
  readonly signal: "SIGKILL" | "SIGSTOP";
}

/** The files of one task in the folder of orders. Synchronous: a killed process writes nothing later. */
export interface OrderFile {
  /** Undefined: the task lives as if there were no orders. */
  readonly order: Order | undefined;
  /** Counts one passage of the ordered call; how many there have been. */
  countPass(): number;
  /** Written once; true for whoever wrote it. */
  claim(): boolean;
  wasCarriedOut(): boolean;
  /** Every passage of a task that is traced, as `call` lines. */
  trace(call: PortCall): void;
  passages(): readonly string[];
}

export function writeOrder(folder: string, objectKey: string, order: Order | "trace"): void {
  writeFileSync(fileOf(folder, objectKey, "order"), JSON.stringify(order), { flag: "wx" });
}

export function orderFile(folder: string, objectKey: string): OrderFile {
  const path = (kind: string): string => fileOf(folder, objectKey, kind);
  const given = readOrder(path("order"));
  return {
    order: given === "trace" ? undefined : given,
    countPass: () => {
      appendFileSync(path("passes"), ".");
      return statSync(path("passes")).size;
    },
    claim: () => claimed(path("done")),
    wasCarriedOut: () => existsSync(path("done")),
    trace: (call) => {
      if (given === "trace") appendFileSync(path("trace"), `${call}\n`);
    },
    passages: () => (existsSync(path("trace")) ? readFileSync(path("trace"), "utf8").trim().split("\n") : []),
  };
}

function fileOf(folder: string, objectKey: string, kind: string): string {
  return join(folder, `${objectKey.replace("/", ".")}.${kind}`);
}

function readOrder(path: string): Order | "trace" | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Order | "trace") : undefined;
}

function claimed(path: string): boolean {
  try {
    writeFileSync(path, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}
