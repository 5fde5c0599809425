// `npm run test:code-mutants`: changes one small thing at a time in the code that decides about money, runs the tests that judge
// it, and prints the changes that no test noticed. Exit code 1 when an area is below the limit, or when more survive in a file
// than docs/reference/mutants.md explains. What was found is kept in .cache: only what is new is tried again.
import { parseArgs } from "node:util";
import { readText, rowsWith } from "../../docs/markdown.ts";
import { AREAS, areaNamed } from "./areas.ts";
import { lastTrial, tryArea } from "./trial.ts";
import type { Survivor, Trial } from "./trial.ts";

const USAGE = `usage: npm run test:code-mutants -- [--area NAME ...] [--afresh] [--last]
  --area    only this one: ${AREAS.map(({ name }) => name).join(", ")}
  --afresh  forgets what was found before; needed when a test was changed and kept its name
  --last    tells what was found last, and tries nothing
`;
/** Of the mutants of an area. */
const LEAST_KILLED_PERCENT = 90;

interface Options {
  readonly areas: readonly string[];
  readonly afresh: boolean;
  readonly last: boolean;
}

function readOptions(): Options {
  const options = {
    area: { type: "string", multiple: true },
    afresh: { type: "boolean" },
    last: { type: "boolean" },
  } as const;
  try {
    const { values } = parseArgs({ options });
    const areas = (values.area ?? AREAS.map(({ name }) => name)).map((name) => areaNamed(name).name);
    return { areas, afresh: values.afresh ?? false, last: values.last ?? false };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  }
}

function print({ area, mutants, survivors }: Trial): void {
  const killed = mutants - survivors.length;
  for (const { after, before, file, isReached, kind, line } of survivors) {
    process.stdout.write(
      `${file}:${line} ${kind}: ${before} → ${after}${isReached ? "" : " (no judge comes there)"}\n`,
    );
  }
  process.stdout.write(
    `| \`${area}\` | ${mutants} | ${killed} | ${survivors.length} | ${percent(killed, mutants)} % |\n`,
  );
}

function percent(killed: number, mutants: number): string {
  return ((100 * killed) / mutants).toFixed(1);
}

/** How many survivors of each file the page explains. */
function explained(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { file = "", survivors = "" } of rowsWith(readText("docs/reference/mutants.md"), [
    ...["file", "survivors", "what is changed", "why no test turns red"],
  ])) {
    const path = file.replaceAll("`", "");
    counts.set(path, (counts.get(path) ?? 0) + Number(survivors));
  }
  return counts;
}

function complaints(trials: readonly Trial[]): readonly string[] {
  const known = explained();
  const survivors = trials.flatMap((trial) => trial.survivors);
  const files = Map.groupBy(survivors, ({ file }: Survivor) => file);
  return [
    ...trials
      .filter(({ mutants, survivors: own }) => 100 * (mutants - own.length) < LEAST_KILLED_PERCENT * mutants)
      .map(({ area }) => `${area}: less than ${LEAST_KILLED_PERCENT} % are killed`),
    ...[...files]
      .filter(([file, own]) => own.length > (known.get(file) ?? 0))
      .map(
        ([file, own]) =>
          `${file}: ${own.length} survive, and docs/reference/mutants.md explains ${known.get(file) ?? 0}`,
      ),
  ];
}

async function main(): Promise<void> {
  const { afresh, areas, last } = readOptions();
  const trials: Trial[] = [];
  for (const name of areas) {
    const area = areaNamed(name);
    const trial = last ? lastTrial(area) : await tryArea(area, afresh);
    if (!trial) continue;
    print(trial);
    trials.push(trial);
  }
  const found = complaints(trials);
  for (const complaint of found) process.stdout.write(`${complaint}\n`);
  if (found.length > 0) process.exitCode = 1;
}

await main();
