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

/** Runs the tests in the copy against the environment at `coordinatesPath`. Throws when jest itself fails. */
export async function tryMutant(copy: Copy, mutant: Mutant, coordinatesPath: string): Promise<Trial> {
  const begun = performance.now();
  const result = await copy.withMutant(mutant, () => runJest(copy, mutant, coordinatesPath));
  return { name: mutant.name, killedBy: firstRed(result), seconds: Math.round((performance.now() - begun) / 1000) };
}

async function runJest({ folder }: Copy, mutant: Mutant, coordinatesPath: string): Promise<Result> {
  const output = join(folder, ".cache", "result.json");
  rmSync(output, { force: true });
  const files = nearestFirst(folder, mutant);
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
    const file = name.split("/").at(-1) ?? name;
    const red = assertionResults.find(({ status }) => status === "failed");
    if (red) return `${file}: ${red.fullName}`;
    if (assertionResults.length === 0 && message !== "") return `${file}: did not run`;
  }
  return undefined;
}
