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
const LEFT_OUT = ["outages.test.ts"];
const LAST = ["history.test.ts", "linearizability.test.ts", "disturbances.test.ts"];
const LIMIT_MS = 600_000;
const NOTHING: Mutant = { name: "nothing", change: { in: "database", sql: "" }, words: [] };

export interface Bench {
  readonly copy: Copy;
  /** Of the environment that all share. */
  readonly coordinatesPath: string;
  /** Files that are red without any mutant, and so can judge none. */
  readonly red: readonly string[];
}

/** The test files that are red without a mutant. */
export async function redFiles(bench: Bench): Promise<readonly string[]> {
  const { testResults } = await runJest(bench, NOTHING, []);
  return testResults.flatMap((file) => (firstRed({ testResults: [file] }) === undefined ? [] : [fileOf(file.name)]));
}

/** Runs the tests in the copy, up to the first red file. Throws when jest itself fails. */
export async function tryMutant(bench: Bench, mutant: Mutant): Promise<Trial> {
  const begun = performance.now();
  const result = await bench.copy.withMutant(mutant, () => runJest(bench, mutant, ["--bail=1"]));
  return { name: mutant.name, killedBy: firstRed(result), seconds: Math.round((performance.now() - begun) / 1000) };
}

const fileOf = (path: string): string => path.split("/").at(-1) ?? path;

async function runJest(
  { copy: { folder }, coordinatesPath, red }: Bench,
  mutant: Mutant,
  options: readonly string[],
): Promise<Result> {
  const output = join(folder, ".cache", "result.json");
  rmSync(output, { force: true });
  const files = nearestFirst(folder, mutant).filter((name) => !red.includes(name));
  const pattern = `${TESTS}/(${files.map((name) => name.replaceAll(".", "\\.")).join("|")})`;
  const args = [
    ...["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"],
    ...[join("node_modules", "jest", "bin", "jest.js"), "--ci", "--silent", "--maxWorkers=1", ...options],
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
function nearestFirst(folder: string, { words }: Mutant): readonly string[] {
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

function firstRed({ testResults }: Result): string | undefined {
  for (const { assertionResults, message, name } of testResults) {
    const red = assertionResults.find(({ status }) => status === "failed");
    if (red) return `${fileOf(name)}: ${red.fullName}`;
    if (assertionResults.length === 0 && message !== "") return `${fileOf(name)}: did not run`;
  }
  return undefined;
}
