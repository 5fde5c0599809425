// The operator as operator/main.ts starts it, but for its ports: at the call that a task's order names, the process sends
// itself the signal, in the middle of whatever else it does.
import { readConfig } from "../../operator/config.ts";
import { runProcess } from "../../operator/runtime/run-process.ts";
import { makeOperator } from "../../operator/wiring.ts";
import type { TermPorts } from "../../operator/wiring/ports.ts";
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

/** Rounds of late searches follow each other closely: what is due, the laboratory says. */
const LATE_ROUND_MS = 500;

function decorate(ports: TermPorts): TermPorts {
  const told = tellPassages(ports, passing);
  const pause: TermPorts["late"]["pause"] = (ms, signal) => ports.late.pause(Math.min(ms, LATE_ROUND_MS), signal);
  return { ...told, late: { ...told.late, pause } };
}

const folder = process.env.GENOP_CRASH_FOLDER;
if (folder === undefined) throw new Error("cannot crash as ordered: GENOP_CRASH_FOLDER names no folder");
const passing = obeying(folder);
await runProcess(() => makeOperator(readConfig(process.env), { decorate }));
