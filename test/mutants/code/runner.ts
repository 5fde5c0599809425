// The judges as Stryker runs them: loaded once by Node itself, and then run for one mutant after the other in the same process.
// Loading them is nearly all that a mutant costs; only one that is at work while modules load needs a process of its own.
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { INSTRUMENTER_CONSTANTS } from "@stryker-mutator/api/core";
import type { InstrumenterContext } from "@stryker-mutator/api/core";
import { PluginKind, declareFactoryPlugin } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import type { DryRunResult, MutantRunOptions, TestResult, TestRunner } from "@stryker-mutator/api/test-runner";
import fc from "fast-check";
import { areaNamed, judgesOf } from "./areas.ts";
import { takeJudges } from "./globals.ts";
import type { Judge } from "./globals.ts";

interface Loaded extends Judge {
  /** Unique: files may have tests of the same name. */
  readonly id: string;
  readonly fileName: string;
}

/** From the copy in which this process runs. */
async function load(): Promise<readonly Loaded[]> {
  const globals = pathToFileURL(join(import.meta.dirname, "globals.ts")).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "@jest/globals" ? { url: globals, shortCircuit: true } : next(specifier, context),
  });
  // The same values each time: a mutant that only chance kills survives tomorrow.
  fc.configureGlobal({ seed: 1 });
  const root = process.cwd();
  const loaded: Loaded[] = [];
  for (const fileName of judgesOf(areaNamed(process.env.GENOP_MUTANTS), root)) {
    await import(pathToFileURL(fileName).href);
    const file = relative(root, fileName);
    loaded.push(...takeJudges().map((judge, nth) => ({ ...judge, id: `${file} ${nth} ${judge.name}`, fileName })));
  }
  return loaded;
}

async function run({ fileName, id, name, run: judge }: Loaded, context: InstrumenterContext): Promise<TestResult> {
  const begun = performance.now();
  context.currentTestId = id;
  const result = { id, name, fileName, timeSpentMs: 0 };
  try {
    await judge();
    return { ...result, timeSpentMs: performance.now() - begun, status: TestStatus.Success };
  } catch (error) {
    return { ...result, status: TestStatus.Failed, failureMessage: String(error) };
  } finally {
    delete context.currentTestId;
  }
}

/** Up to the first that is red, when `bail`. */
async function runAll(judges: readonly Loaded[], bail: boolean, context: InstrumenterContext): Promise<DryRunResult> {
  const tests: TestResult[] = [];
  for (const judge of judges) {
    const result = await run(judge, context);
    tests.push(result);
    if (bail && result.status === TestStatus.Failed) break;
  }
  return { status: DryRunStatus.Complete, tests };
}

function makeRunner(): TestRunner {
  const space = globalThis as typeof globalThis & { [INSTRUMENTER_CONSTANTS.NAMESPACE]?: InstrumenterContext };
  const context = (space[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});
  let loading: Promise<readonly Loaded[]> | undefined;
  const judges = (): Promise<readonly Loaded[]> => (loading ??= load());

  const tryMutant = async ({ activeMutant, hitLimit, ...options }: MutantRunOptions): Promise<DryRunResult> => {
    if (options.mutantActivation === "runtime") await judges();
    Object.assign(context, {
      activeMutant: activeMutant.id,
      hitCount: hitLimit === undefined ? undefined : 0,
      hitLimit,
    });
    const wanted = options.testFilter && new Set(options.testFilter);
    const chosen = (await judges()).filter(({ id }) => !wanted || wanted.has(id));
    const result = await runAll(chosen, !options.disableBail, context);
    return determineHitLimitReached(context.hitCount, hitLimit) ?? result;
  };
  return {
    capabilities: () => ({ reloadEnvironment: false }),
    dryRun: async () => {
      const result = await runAll(await judges(), false, context);
      const { mutantCoverage = { static: {}, perTest: {} } } = context;
      return result.status === DryRunStatus.Complete ? { ...result, mutantCoverage } : result;
    },
    mutantRun: async (options) => toMutantRunResult(await tryMutant(options)),
  };
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "judges", makeRunner)];
