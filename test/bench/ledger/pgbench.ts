// pgbench, found and run: GENOP_PGBENCH, or the one in the PATH. Debian has it in the package postgresql-contrib.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CLIENTS } from "./hall.ts";

const run = promisify(execFile);
const PGBENCH = process.env.GENOP_PGBENCH ?? "pgbench";

/** Its version; throws with what to do when there is none. */
export async function pgbenchVersion(): Promise<string> {
  try {
    return (await run(PGBENCH, ["--version"])).stdout.trim();
  } catch (error) {
    throw new Error("cannot find pgbench: install it, name it by GENOP_PGBENCH, or leave it out with --bare", {
      cause: error,
    });
  }
}

export interface Bench {
  readonly url: string;
  readonly script: string;
  readonly eachClient: number;
  /** The number before the first attempt's. */
  readonly base: number;
}

/** Runs of the script per second, without the time that connecting takes. */
export async function pgbench({ base, eachClient, script, url }: Bench, signal: AbortSignal): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "genop-pgbench-"));
  try {
    const file = join(folder, "pair.sql");
    writeFileSync(file, script);
    const args = ["-n", "-M", "simple", "-c", String(CLIENTS), "-j", "1", "-t", String(eachClient), "-f", file];
    const { stdout } = await run(PGBENCH, [...args, "-D", `base=${base}`, "-D", "done=0", url], { signal });
    const [, perSecond] = /^tps = ([0-9.]+) \(without/m.exec(stdout) ?? [];
    if (perSecond === undefined) throw new Error(`cannot read what pgbench says:\n${stdout}`);
    return Number(perSecond);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
