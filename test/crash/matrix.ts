// Runs cases of the matrix in several namespaces at once, and counts what became of them.
import { BEHAVIOURS } from "./behaviours.ts";
import { titleOf } from "./cases.ts";
import type { CrashCase } from "./cases.ts";
import type { Laboratory } from "./laboratory.ts";
import { runCase, traceBehaviour } from "./run-case.ts";
import type { CaseResult } from "./run-case.ts";
import type { Findings } from "./state.ts";

export interface Tally {
  /** The process died at the point, and all held. */
  died: number;
  /** The point depends on the clock, and this life did not pass it. */
  passedBy: number;
  /** The point can't be passed with this behaviour, and a life without deaths has shown it. */
  impossible: number;
  failed: number;
}

export interface MatrixRun {
  readonly laboratory: Laboratory;
  readonly namespaces: readonly string[];
  readonly findings: Findings;
  readonly say: (line: string) => void;
}

/** A death of another case's process can lead a life past its own point: then it is tried again. */
const ROUNDS = 3;

export async function runMatrix(run: MatrixRun, cases: readonly CrashCase[]): Promise<Tally> {
  const traces = await traceAll(run, cases);
  const tally: Tally = { died: 0, passedBy: 0, impossible: 0, failed: 0 };
  const waiting = cases.filter(({ reach }) => typeof reach === "string");
  await inLanes(run.namespaces, waiting, async (namespace, row) => {
    const title = titleOf(row);
    const known = run.findings.get(title);
    // What failed is tried again: to see whether it still does is what one comes back for.
    const result = known?.complaints.length === 0 ? known : await runRounds(run, namespace, row);
    run.findings.put(title, result);
    count(run, tally, title, result);
  });
  for (const row of cases) if (typeof row.reach !== "string") countImpossible(run, tally, row, traces);
  return tally;
}

async function runRounds({ laboratory }: MatrixRun, namespace: string, row: CrashCase): Promise<CaseResult> {
  let result: CaseResult = { reached: false, complaints: [] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    result = await runCase(laboratory, namespace, row, round);
    if (result.reached || row.reach === "maybe" || result.complaints.length > 1) break;
  }
  return result;
}

function count({ say }: MatrixRun, tally: Tally, title: string, { complaints, reached }: CaseResult): void {
  if (complaints.length > 0) {
    tally.failed += 1;
    say(`FAILED ${title}: ${complaints.join("; ")}`);
  } else if (reached) tally.died += 1;
  else tally.passedBy += 1;
}

type Traces = ReadonlyMap<string, readonly string[]>;

/** The complaints about each behaviour's life without deaths, where some case says that a point is impossible in it. */
async function traceAll(run: MatrixRun, cases: readonly CrashCase[]): Promise<Traces> {
  const needed = BEHAVIOURS.filter((behaviour) =>
    cases.some((row) => row.behaviour === behaviour && typeof row.reach !== "string"),
  );
  const traces = new Map<string, readonly string[]>();
  await inLanes(run.namespaces, needed, async (namespace, behaviour) => {
    const complaints = await traceBehaviour(run.laboratory, namespace, behaviour, BEHAVIOURS.indexOf(behaviour));
    traces.set(behaviour.name, complaints);
    if (complaints.length > 0)
      run.say(`FAILED a life with a provider that ${behaviour.name}: ${complaints.join("; ")}`);
  });
  return traces;
}

function countImpossible(run: MatrixRun, tally: Tally, row: CrashCase, traces: Traces): void {
  const complaints = traces.get(row.behaviour.name) ?? [];
  if (complaints.length > 0) tally.failed += 1;
  else tally.impossible += 1;
}

/** Each lane takes the next item when it is done with one. */
async function inLanes<Item>(
  lanes: readonly string[],
  items: readonly Item[],
  work: (lane: string, item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(lane, item);
    }),
  );
}
