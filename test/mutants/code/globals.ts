// What the judges import from "@jest/globals", in a process that loads them once and runs them for one mutant after the other.
// Only what they use: another import fails as they are loaded.
import { expect } from "expect";
import { bind } from "jest-each";

export interface Judge {
  /** With the names of the blocks around it. */
  readonly name: string;
  readonly run: () => unknown;
}

const blocks: string[] = [];
const judges: Judge[] = [];

function addBlock(name: string, fill: () => void): void {
  blocks.push(name);
  fill();
  blocks.pop();
}

function addTest(name: string, run: () => unknown): void {
  judges.push({ name: [...blocks, name].join(" "), run });
}

/** Those that were collected since they were last taken. */
export function takeJudges(): readonly Judge[] {
  return judges.splice(0);
}

const describe = Object.assign(addBlock, { each: bind(addBlock as never, false) });
const test = Object.assign(addTest, { each: bind(addTest as never) });

export { describe, expect, test };
