// The demo as a process of its own, for the tests of it.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { ROLES } from "./cast.ts";

const MAIN = join(import.meta.dirname, "main.ts");
/** A demo of half a minute, its set-up, and a machine that is busy with other tests. */
export const DEMO_LIMIT_MS = 300_000;

export interface EndedDemo {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder for all that a demo puts anywhere; its caller removes it. */
export function makeDemoFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "demo-test-"));
  chmodSync(folder, 0o755); // Postgres, which may be another user, has to reach its own folder in it
  return folder;
}

/** All that it puts anywhere lies in this folder. */
export function startDemo(folder: string, args: readonly string[]): ChildProcess {
  const env = { ...process.env, TMPDIR: folder };
  return spawn(process.execPath, [MAIN, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}

export function ended(child: ChildProcess): Promise<EndedDemo> {
  const texts = { stdout: "", stderr: "" };
  child.stdout?.on("data", (data: Buffer) => (texts.stdout += String(data)));
  child.stderr?.on("data", (data: Buffer) => (texts.stderr += String(data)));
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ code, ...texts }));
  });
}

const count = (phase: string): number => ROLES.filter(({ end }) => end.phase === phase).length;

/** What the cast announces, and not one of the figures that must be zero above zero. */
export const ANNOUNCED = {
  tasks: ROLES.length,
  succeeded: count("Succeeded"),
  failed: count("Failed"),
  needsReview: count("NeedsReview"),
  jobsAccepted: ROLES.reduce((sum, { end }) => sum + end.jobs, 0),
  jobsPaidTwice: 0,
  jobsUnaccounted: 0,
  ledgerUnbalanced: 0,
  openHolds: 0,
  seconds: expect.any(Number),
};
