// The operator as operator/main.ts starts it, but for its ports: at the call that a task's order names, the process sends
// itself the signal, in the middle of whatever else it does.
import { readConfig } from "../../operator/config.ts";
import { runProcess } from "../../operator/runtime/run-process.ts";
import { makeOperator } from "../../operator/wiring.ts";
import { orderFile } from "./order.ts";
import type { Order, OrderFile } from "./order.ts";
import { tellPassages } from "./passing.ts";
import type { Passing } from "./passing.ts";

function obeying(folder: string): Passing {
  const files = new Map<string, OrderFile>();
  return (objectKey, call, moment) => {
    if (objectKey === undefined) return;
    const file = files.get(objectKey) ?? orderFile(folder, objectKey);
    files.set(objectKey, file);
    if (moment === "before" && call !== "wire") file.trace(call);
    const { order } = file;
    if (order?.call === call && order.moment === moment && !file.wasCarriedOut()) carryOut(file, order);
  };
}

function carryOut(file: OrderFile, order: Order): void {
  if (file.countPass() === order.pass && file.claim()) process.kill(process.pid, order.signal);
}

const folder = process.env.GENOP_CRASH_FOLDER;
if (folder === undefined) throw new Error("cannot crash as ordered: GENOP_CRASH_FOLDER names no folder");
const passing = obeying(folder);
await runProcess(() => makeOperator(readConfig(process.env), { decorate: (ports) => tellPassages(ports, passing) }));
