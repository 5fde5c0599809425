// One area against its judges, by Stryker, in a copy of what the tests need.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { z } from "zod";
import { ROOT } from "../../docs/markdown.ts";
import { mutatedIn } from "./areas.ts";
import type { Area } from "./areas.ts";

const FOLDER = ".cache/code-mutants";
/** What the judges need of the repository. */
const COPIED = ["crds", "operator", "test"];

const Place = z.object({ line: z.int(), column: z.int() });
const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          mutatorName: z.string(),
          replacement: z.string().optional(),
          status: z.string(),
          location: z.object({ start: Place, end: Place }),
        }),
      ),
    }),
  ),
});

export interface Survivor {
  /** From the root. */
  readonly file: string;
  readonly line: number;
  /** One of Stryker's kinds of change. */
  readonly kind: string;
  readonly before: string;
  readonly after: string;
  /** Whether any judge runs this code at all. */
  readonly isReached: boolean;
}

export interface Trial {
  readonly area: string;
  readonly mutants: number;
  readonly survivors: readonly Survivor[];
}

/** Throws when the judges are red without a mutant. `afresh`: believes nothing that was found before. */
export async function tryArea(area: Area, afresh: boolean): Promise<Trial> {
  const known = join(FOLDER, `${area.name}-known.json`);
  if (afresh) rmSync(join(ROOT, known), { force: true });
  process.env.GENOP_MUTANTS = area.name;
  // A mutant that is at work while modules load needs a process of its own: that one finds them compiled.
  process.env.NODE_COMPILE_CACHE = join(ROOT, FOLDER, "compiled");
  const report = join(FOLDER, `${area.name}.json`);
  const copy = join(FOLDER, `copy-${area.name}`);
  rmSync(join(ROOT, copy), { recursive: true, force: true }); // of a run that was broken off
  await new Stryker({
    testRunner: "judges",
    plugins: [join(import.meta.dirname, "runner.ts")],
    coverageAnalysis: "perTest",
    mutate: [...mutatedIn(area)],
    incremental: true,
    incrementalFile: known,
    concurrency: 1,
    // Beside what the tests take by themselves: a busy machine is no mutant's end.
    timeoutMS: 60_000,
    tempDirName: copy,
    cleanTempDir: "always",
    ignorePatterns: ["*", ...COPIED.flatMap((one) => [`!${one}`, `!${one}/**/*`]), "!*.json"],
    disableTypeChecks: false,
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
  }).runMutationTest();
  return trialOf(area, Report.parse(JSON.parse(readFileSync(join(ROOT, report), "utf8"))));
}

/** The last trial of an area; undefined when there was none. */
export function lastTrial(area: Area): Trial | undefined {
  const path = join(ROOT, FOLDER, `${area.name}.json`);
  return existsSync(path) ? trialOf(area, Report.parse(JSON.parse(readFileSync(path, "utf8")))) : undefined;
}

const SURVIVED: ReadonlySet<string> = new Set(["Survived", "NoCoverage"]);
const KILLED: ReadonlySet<string> = new Set(["Killed", "Timeout"]);

function trialOf({ name }: Area, { files }: z.infer<typeof Report>): Trial {
  const all = Object.entries(files).flatMap(([file, { mutants, source }]) =>
    mutants.map((mutant) => ({ ...mutant, file, before: textAt(source, mutant.location) })),
  );
  const survivors = all.filter(({ status }) => SURVIVED.has(status));
  return {
    area: name,
    mutants: all.filter(({ status }) => KILLED.has(status)).length + survivors.length,
    survivors: survivors.map(({ before, file, location, mutatorName, replacement, status }) => ({
      ...{ file, line: location.start.line, kind: mutatorName, before: oneLine(before) },
      ...{ after: oneLine(replacement ?? ""), isReached: status === "Survived" },
    })),
  };
}

/** The report counts lines and columns from 1. */
function textAt(source: string, { start, end }: { start: z.infer<typeof Place>; end: z.infer<typeof Place> }): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const first = start.column - 1;
  if (lines.length === 1) return lines[0]?.slice(first, end.column - 1) ?? "";
  return [lines[0]?.slice(first), ...lines.slice(1, -1), lines.at(-1)?.slice(0, end.column - 1)].join("\n");
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 157)}...` : line;
}
