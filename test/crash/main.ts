// `npm run test:crash`: the whole crash matrix, or a part of it. Goes on where a run that was broken off was; --fresh begins anew.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CASES, ENUMERATED, spread } from "./cases.ts";
import type { CrashCase } from "./cases.ts";
import { sweepOnce } from "../operator/sweep.ts";
import { keysBelow } from "../operator/verdict.ts";
import { openLaboratory } from "./laboratory.ts";
import type { Laboratory } from "./laboratory.ts";
import { runMatrix } from "./matrix.ts";
import { openFindings } from "./state.ts";

const STATE = join(import.meta.dirname, "..", "..", ".cache", "crash", "findings.json");
const LANES = 8;
/** What has been run when a run is broken off is then a sample of all. */
const ORDER = "spread over the matrix";
const USAGE = "usage: npm run test:crash -- [--part I/N] [--only TEXT] [--fresh]";

interface Wish {
  readonly cases: readonly CrashCase[];
  readonly fresh: boolean;
}

function wishOf(args: readonly string[]): Wish {
  const options = { part: { type: "string" }, only: { type: "string" }, fresh: { type: "boolean" } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const [part = 1, parts = 1] = (values.part ?? "1/1").split("/").map(Number);
  if (!(part >= 1 && part <= parts)) throw new Error("cannot run this part: write --part I/N, with I from 1 to N");
  const { only = "" } = values;
  const cases = spread(CASES, ORDER).filter(({ behaviour, index, order }) => {
    const words = `${behaviour.name} ${order.call}`;
    return index % parts === part - 1 && words.includes(only);
  });
  return { cases, fresh: values.fresh ?? false };
}

async function run({ cases, fresh }: Wish): Promise<boolean> {
  if (CASES.length !== ENUMERATED) throw new Error("cannot count the matrix: it is not what it is enumerated to be");
  console.log(`${String(CASES.length)} cases enumerated, ${String(cases.length)} of them in this part`);
  const namespaces = Array.from({ length: LANES }, (_, lane) => `lane-${String(lane)}`);
  const laboratory = await openLaboratory(namespaces);
  try {
    const findings = openFindings(STATE, fresh);
    const tally = await runMatrix({ laboratory, namespaces, findings, say: (line) => console.log(line) }, cases);
    const { died, failed, impossible, passedBy } = tally;
    const counted = `${String(died)} died at their point, ${String(passedBy)} passed by it, ${String(impossible)} cannot reach it`;
    console.log(`${counted}; ${String(laboratory.replicas.deaths())} deaths in this run`);
    const left = await leftInStaging(laboratory);
    if (left.length > 0)
      console.log(`FAILED ${String(left.length)} objects are left in staging: ${left.slice(0, 3).join(", ")}`);
    console.log(`${String(died + passedBy + impossible)} passed, ${String(failed + left.length)} failed`);
    return failed + left.length === 0 && died + impossible + passedBy === cases.length;
  } finally {
    await laboratory.stop();
  }
}

/** After a sweep in peace: what a dying process sent late may lie there until then. */
async function leftInStaging({ environment, installation, replicas }: Laboratory): Promise<readonly string[]> {
  await replicas.stop();
  await sweepOnce(installation, join(environment.folder, "logs", "operator.log"));
  const keys = await keysBelow(environment, "staging/");
  // What a process left that was killed while it tried the store at its start goes with age.
  return keys.filter((key) => !key.startsWith("staging/self-test/"));
}

function wishOrExit(): Wish {
  try {
    return wishOf(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : "cannot read the arguments"}\n${USAGE}`);
    process.exit(2);
  }
}

process.exitCode = (await run(wishOrExit())) ? 0 : 1;
