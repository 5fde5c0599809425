// One mutant against the tests: the nearest files first, until one is red.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TESTS } from "./copy.ts";
import type { Copy } from "./copy.ts";
import type { Mutant } from "./mutant.ts";

export interface Trial {
  readonly name: string;
  /** The first test that was red; undefined when none was. */
  readonly killedBy: string | undefined;
  readonly seconds: number;
}

interface Result {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

// They have an environment of their own, or take long: the others must do.
const LEFT_OUT = ["outages.test.ts", "guards.test.ts"]; // and the guards were tried already
const LAST = ["history.test.ts", "linearizability.test.ts", "disturbances.test.ts"];
/** A limit, not a wait: many files in a row, on a machine that may be busy. */
const LIMIT_MS = 3_600_000;
/** So many files are left for the last run. */
const FAR = 18;
const NOTHING: Mutant = { name: "nothing", change: { in: "database", sql: "" }, words: [] };

export interface Bench {
  readonly copy: Copy;
  /** Of the environment that all share. */
  readonly coordinatesPath: string;
  /** Whether a file is green without any mutant, by its name: only then it can judge one. Found out when first needed. */
  readonly judges: Map<string, boolean>;
}

/** Runs the tests in the copy, up to the first red file that is green without the mutant. Throws when jest itself fails. */
export async function tryMutant(bench: Bench, mutant: Mutant): Promise<Trial> {
  const begun = performance.now();
  const killedBy = await bench.copy.withMutant(mutant, () => killerOf(bench, mutant, nearestFirst(bench, mutant)));
  return { name: mutant.name, killedBy, seconds: Math.round((performance.now() - begun) / 1000) };
}

async function killerOf(bench: Bench, mutant: Mutant, files: readonly string[]): Promise<string | undefined> {
  const left = files.filter((name) => bench.judges.get(name) !== false);
  if (left.length === 0) return undefined;
  // The nearest by themselves: what jest does for all the others takes longer than these tests.
  const now = left.slice(0, left.length > FAR ? 2 : left.length);
  const red = firstRed(await runJest(bench, mutant, now));
  if (!red) return killerOf(bench, mutant, left.slice(now.length));
  if (await isJudge(bench, red.file)) return `${red.file}: ${red.test}`;
  return killerOf(bench, mutant, left.slice(left.indexOf(red.file) + 1));
}

async function isJudge(bench: Bench, file: string): Promise<boolean> {
  const known = bench.judges.get(file);
  if (known !== undefined) return known;
  const isGreen = await bench.copy.asItWas(async () => firstRed(await runJest(bench, NOTHING, [file])) === undefined);
  bench.judges.set(file, isGreen);
  if (!isGreen) process.stderr.write(`${file} is red without a mutant, and judges none\n`);
  return isGreen;
}

const fileOf = (path: string): string => path.split("/").at(-1) ?? path;

async function runJest(
  { copy: { folder }, coordinatesPath }: Bench,
  mutant: Mutant,
  files: readonly string[],
): Promise<Result> {
  if (files.length === 0) return { testResults: [] };
  const output = join(folder, ".cache", "result.json");
  rmSync(output, { force: true });
  const pattern = `${TESTS}/(${files.map((name) => name.replaceAll(".", "\\.")).join("|")})`;
  const args = [
    ...["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"],
    ...[join("node_modules", "jest", "bin", "jest.js"), "--ci", "--silent", "--bail=1", "--maxWorkers=1"],
    ...["--selectProjects", "integration", "--testPathPatterns", pattern],
    ...["--testSequencer", join(folder, "test/mutants/schema/nearest-first.js"), "--json", `--outputFile=${output}`],
  ];
  const env = {
    ...process.env,
    GENOP_TEST_ENVIRONMENT: coordinatesPath,
    GENOP_TEST_ORDER: files.join(","),
    GENOP_SCHEMA_MUTANT: mutant.change.in === "database" ? mutant.change.sql : "",
  };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore", timeout: LIMIT_MS });
  await new Promise((resolve) => child.once("close", resolve));
  return JSON.parse(readFileSync(output, "utf8")) as Result;
}

/** By how often a file speaks of what the mutant takes away. */
function nearestFirst({ copy: { folder } }: Bench, { words }: Mutant): readonly string[] {
  const names = readdirSync(join(folder, TESTS)).filter((name) => name.endsWith(".test.ts"));
  const score = new Map(
    names.map((name) => {
      const text = readFileSync(join(folder, TESTS, name), "utf8");
      const found = words.map((word, place) => (text.split(word).length - 1) * 10 ** (words.length - place));
      return [name, LAST.includes(name) ? -1 : found.reduce((sum, one) => sum + one, 0)];
    }),
  );
  return names
    .filter((name) => !LEFT_OUT.includes(name))
    .sort((one, other) => (score.get(other) ?? 0) - (score.get(one) ?? 0));
}

interface Red {
  readonly file: string;
  readonly test: string;
}

function firstRed({ testResults }: Result): Red | undefined {
  for (const { assertionResults, message, name } of testResults) {
    const red = assertionResults.find(({ status }) => status === "failed");
    if (red) return { file: fileOf(name), test: red.fullName };
    if (assertionResults.length === 0 && message !== "") return { file: fileOf(name), test: "did not run" };
  }
  return undefined;
}
