// `npm run test:schema-mutants`: takes away, one at a time, every guard of the migrated schema and every lock and fence of the
// SQL, runs the Postgres integration tests against what is left, and prints which test missed it. A mutant that no test misses is
// a survivor: exit code 1. What was found out is kept, so that an interrupted run goes on where it was.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Client } from "pg";
import { only, startEnvironment } from "../../env/environment.ts";
import { openDatabase } from "../../integration/postgres/database.ts";
import { fillDatabase } from "../../integration/postgres/guard-cases.ts";
import { SOURCES, fingerprintOf, makeCopy } from "./copy.ts";
import type { Copy } from "./copy.ts";
import { mutantsOfDatabase } from "./from-catalogue.ts";
import { checkGuards, failedGuard } from "./guards-first.ts";
import { mutantsOfSources } from "./from-sources.ts";
import type { Mutant } from "./mutant.ts";
import { tryMutant } from "./trial.ts";
import type { Bench, Trial } from "./trial.ts";

const ROOT = join(import.meta.dirname, "../../..");
const USAGE = `usage: npm run test:schema-mutants -- [--only TEXT] [--workers N] [--list]
  --only     the mutants whose name has this text
  --workers  how many at once (1)
  --list     names them and ends
`;

interface Options {
  readonly only: string;
  readonly workers: number;
  readonly list: boolean;
}

function readOptions(): Options {
  const options = { only: { type: "string" }, workers: { type: "string" }, list: { type: "boolean" } } as const;
  try {
    const { values } = parseArgs({ options });
    return { only: values.only ?? "", workers: Number(values.workers ?? 1), list: values.list ?? false };
  } catch {
    process.stderr.write(USAGE);
    process.exit(2);
  }
}

/** A statement that can't be run would be no mutant, and is refused here. */
async function enumerate(client: Client, copy: Copy): Promise<readonly Mutant[]> {
  const mutants = await mutantsOfDatabase(client);
  for (const { change } of mutants) {
    if (change.in === "database") await client.query(`begin; ${change.sql}; rollback`);
  }
  return [...mutants, ...mutantsOfSources(copy.folder, SOURCES)];
}

/** What the cases of guards.test.ts find, all mutants one after the other. */
async function tryGuards(client: Client, mutants: readonly Mutant[], memory: Memory): Promise<void> {
  await checkGuards(client);
  for (const mutant of mutants) {
    const failed = memory.recall(mutant) ? undefined : await failedGuard(client, mutant);
    if (failed !== undefined) memory.keep({ name: mutant.name, killedBy: `guards.test.ts: ${failed}`, seconds: 0 });
  }
}

interface Memory {
  recall(mutant: Mutant): Trial | undefined;
  keep(trial: Trial): void;
}

function memoryFor(fingerprint: string): Memory {
  const folder = join(ROOT, ".cache", "schema-mutants", fingerprint);
  mkdirSync(folder, { recursive: true });
  const fileOf = (name: string): string =>
    join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 24)}.json`);
  return {
    recall: ({ name }) =>
      existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), "utf8")) as Trial) : undefined,
    keep: (trial) => writeFileSync(fileOf(trial.name), JSON.stringify(trial)),
  };
}

async function runAll(
  mutants: readonly Mutant[],
  benches: readonly Bench[],
  memory: Memory,
): Promise<readonly Trial[]> {
  const left = [...mutants];
  const trials: Trial[] = [];
  const work = async (bench: Bench): Promise<void> => {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      const trial = memory.recall(mutant) ?? (await tryMutant(bench, mutant));
      memory.keep(trial);
      trials.push(trial);
      process.stderr.write(`${trials.length}/${mutants.length} ${trial.seconds} s ${lineOf(trial)}\n`);
    }
  };
  await Promise.all(benches.map(work));
  return trials;
}

function lineOf({ killedBy, name }: Trial): string {
  return `${name} → ${killedBy ?? "SURVIVED"}`;
}

function print(trials: readonly Trial[]): void {
  const sorted = [...trials].sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const trial of sorted) process.stdout.write(`${lineOf(trial)}\n`);
  for (const kind of [...new Set(sorted.map(kindOf))]) {
    const own = sorted.filter((trial) => kindOf(trial) === kind);
    const killed = own.filter(({ killedBy }) => killedBy !== undefined).length;
    process.stdout.write(`${kind}: ${killed} of ${own.length} killed\n`);
  }
  const survivors = sorted.filter(({ killedBy }) => killedBy === undefined).length;
  process.stdout.write(`${trials.length} mutants, ${survivors} survivors\n`);
  if (survivors > 0) process.exitCode = 1;
}

const kindOf = ({ name }: Trial): string => /^(foreign key|\w+)/.exec(name)?.[0] ?? name;

async function main(): Promise<void> {
  const options = readOptions();
  const environment = await startEnvironment(only("postgres"));
  const workers = Array.from({ length: options.workers }, () => makeCopy(ROOT));
  try {
    const [copy] = workers;
    if (!copy) throw new Error("cannot try anything: --workers must be 1 or more");
    const database = await openDatabase({ environment });
    await fillDatabase(database);
    const memory = memoryFor(fingerprintOf(copy));
    const mutants = await database.asSuperuser(async (client) => {
      const all = await enumerate(client, copy);
      const chosen = all.filter(({ name }) => name.includes(options.only));
      if (!options.list) await tryGuards(client, chosen, memory);
      return chosen;
    });
    await database.close();
    if (options.list) {
      process.stdout.write(mutants.map(({ name }) => `${name}\n`).join(""));
      return;
    }
    const { coordinatesPath } = environment;
    const judges = new Map<string, boolean>();
    const benches = workers.map((own) => ({ copy: own, coordinatesPath, judges }));
    print(await runAll(mutants, benches, memory));
  } finally {
    for (const worker of workers) worker.remove();
    await environment.stop();
  }
}

await main();
