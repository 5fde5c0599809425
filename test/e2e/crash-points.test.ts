// A sample of the crash matrix, another one in each run; `npm run test:crash` runs all of it.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { CASES, spread, titleOf } from "../crash/cases.ts";
import { openLaboratory } from "../crash/laboratory.ts";
import type { Laboratory } from "../crash/laboratory.ts";
import { runMatrix } from "../crash/matrix.ts";
import type { CaseResult } from "../crash/run-case.ts";
import { keysBelow } from "../operator/verdict.ts";

/** Set GENOP_SEED to repeat a run. */
const SEED = process.env.GENOP_SEED ?? String(Date.now());
const SAMPLE = 8;
const NAMESPACES = ["lane-0", "lane-1", "lane-2", "lane-3"];

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(NAMESPACES);
}, 120_000);

afterAll(() => laboratory.stop(), 60_000);

test(`I1–I5, I9: the operator killed at ${SAMPLE} of the points where it touches the world, each with a provider's behaviour`, async () => {
  const sure = CASES.filter(({ reach }) => reach === "surely");
  const sample = spread(sure, SEED).slice(0, SAMPLE);
  console.info([`seed ${SEED}`, ...sample.map(titleOf)].join("\n"));
  const found = new Map<string, CaseResult>();
  const findings = {
    get: (title: string) => found.get(title),
    put: (title: string, result: CaseResult) => void found.set(title, result),
  };
  const failures: string[] = [];
  const run = { laboratory, namespaces: NAMESPACES, findings, say: (line: string) => void failures.push(line) };
  const tally = await runMatrix(run, sample);
  expect(failures).toEqual([]);
  expect(tally).toEqual({ died: SAMPLE, passedBy: 0, impossible: 0, failed: 0 });
  expect(laboratory.replicas.deaths()).toBeGreaterThanOrEqual(SAMPLE);
  const successes = sample.filter(({ behaviour }) => behaviour.ends.every((end) => end === "Succeeded"));
  expect((await keysBelow(laboratory.environment, "assets/")).length).toBeGreaterThanOrEqual(successes.length);
}, 600_000);
