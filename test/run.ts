// `npm test`: the checks and every level of tests, as CI runs them. Its last line is `N passed, N failed, N skipped`;
// the checks count as one test. With arguments only jest runs, with these arguments.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

interface Assertion {
  readonly status: string;
  readonly fullName: string;
}

/** The part of jest's own result that is used here. */
interface Result {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  /** Files that could not even be loaded. */
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly Assertion[] }[];
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const root = join(import.meta.dirname, "..");
const folder = join(root, ".cache", "test");
const resultFile = join(folder, "result.json");
const LEVELS = ["unit", "scenarios", "docs", "chart", "integration", "e2e"];
/** Whole stacks restored, frozen and set back: what CI runs too, and who works on it by `npm run test:long`. */
const LONG = process.env.GENOP_TEST_LONG === "true" ? ["long"] : [];
/** After all other tests and one file after the other: it has one cluster, and promises a time. In CI, and by `npm run e2e`. */
const PODS = process.env.GENOP_TEST_LONG === "true" ? ["pods"] : [];
/** Before all other tests: it kills processes by the clock, and a busy machine would only make it longer. */
const ALONE = ["soak"];
const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 };
const ONE_FAILED: Tally = { passed: 0, failed: 1, skipped: 0 };

/** Whether the command ended well. Its output is told as it comes, or all at once at its end. */
function run(command: string, args: readonly string[], output: "as it comes" | "at its end"): Promise<boolean> {
  const child = spawn(command, args, {
    cwd: root,
    stdio: output === "as it comes" ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`cannot run ${command}: ${error.message}`);
      resolve(false);
    });
    child.once("close", (status) => {
      process.stdout.write(Buffer.concat(chunks));
      resolve(status === 0);
    });
  });
}

function readResult(): Result | undefined {
  try {
    return JSON.parse(readFileSync(resultFile, "utf8")) as Result;
  } catch {
    return undefined; // jest ended before it had one; what it said is above
  }
}

function levelOf(file: string): string {
  return relative(join(root, "test"), file).split(sep)[0] ?? "";
}

function printLevels(levels: readonly string[], result: Result): void {
  for (const level of levels) {
    const tests = result.testResults
      .filter((file) => levelOf(file.name) === level)
      .flatMap((file) => file.assertionResults);
    const count = (status: string) => tests.filter((test) => test.status === status).length;
    const text = `${count("passed")} passed, ${count("failed")} failed, ${count("pending") + count("todo")} skipped`;
    console.log(`${level.padEnd(12)} ${tests.length === 0 ? "no test ran" : text}`);
  }
  const skipped = result.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status === "pending");
  for (const { fullName } of skipped) console.log(`skipped: ${fullName}`);
}

function tallyOf(result: Result, jestSucceeded: boolean): Tally {
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return {
    passed: result.numPassedTests,
    failed: failed === 0 && !jestSucceeded ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}

async function runJest(levels: readonly string[], args: readonly string[]): Promise<Tally> {
  rmSync(resultFile, { force: true });
  const options = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"];
  const jest = join("node_modules", "jest", "bin", "jest.js");
  const command = [...options, jest, "--ci", "--json", `--outputFile=${resultFile}`, ...args];
  const succeeded = await run(process.execPath, command, "as it comes");
  const result = readResult();
  if (result === undefined) return ONE_FAILED;
  printLevels(levels, result);
  return tallyOf(result, succeeded);
}

/** What is left of the machine is enough for them: with a lower priority they don't hold up what runs beside them. */
async function runChecks(): Promise<Tally> {
  const command = ["-n", "10", "npm", "run", "--silent", "check"];
  return (await run("nice", command, "at its end")) ? { ...NOTHING, passed: 1 } : ONE_FAILED;
}

async function runAll(): Promise<readonly Tally[]> {
  const levels = [...LEVELS, ...LONG];
  const beside = await Promise.all([runChecks(), runJest(ALONE, ["--selectProjects", ...ALONE])]);
  const others = await runJest(levels, ["--selectProjects", ...levels]);
  const pods = PODS.length === 0 ? [] : [await runJest(PODS, ["--runInBand", "--selectProjects", ...PODS])];
  return [...beside, others, ...pods];
}

function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce((one, other) => ({
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  }));
}

const args = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const total = sum(args.length === 0 ? await runAll() : [await runJest([...ALONE, ...LEVELS, "long", "pods"], args)]);
const line = `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`;
writeFileSync(join(folder, "summary.txt"), `${line}\n`);
console.log(line);
process.exitCode = total.failed === 0 ? 0 : 1;
