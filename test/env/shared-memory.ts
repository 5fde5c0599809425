// A Postgres that was killed cannot give back its System V memory segment, which outlives every process and
// every folder. Its number stands in postmaster.pid.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const KEY_AND_ID_LINE = 6;

/** Removes the segment that a killed Postgres left behind in this environment's folder, if there is one. */
export function releaseSharedMemory(folder: string): void {
  let lines: readonly string[];
  try {
    lines = readFileSync(join(folder, "postgres", "data", "postmaster.pid"), "utf8").split("\n");
  } catch {
    return; // ended in good order, or never started
  }
  const id = lines[KEY_AND_ID_LINE]?.trim().split(/\s+/)[1];
  if (id !== undefined) spawnSync("ipcrm", ["-m", id], { stdio: "ignore" });
}
