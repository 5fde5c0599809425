// A report for people, and the same as one object for machines. Writes nothing itself.
import type { Report, Result } from "./bench.ts";
import { judge, ratiosOf, spreadOf, type Judged, type Spread } from "./figures.ts";
import type { Machine } from "./machine.ts";

/** The figures, each against its baselines; then every requirement, and whether it is met. */
export function textOf(report: Report, machine: Machine): string {
  const figures = [
    ["measure", "unit", "who", "median", "min", "max", "ours is better"],
    ...report.results.flatMap(rows),
  ];
  const judged = report.results.flatMap(judge).map(judgedRow);
  const required = judged.length > 0 ? ["", aligned([["measure", "required", "measured", ""], ...judged])] : [];
  return [`${report.bench}: ${machineLine(machine)}`, ...report.setUp, "", aligned(figures), ...required, ""].join(
    "\n",
  );
}

function machineLine(machine: Machine): string {
  const { cores, model, memoryGb, node, kubernetes, loadBefore, loadAfter, stolen, idle } = machine;
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const load = `load ${loadBefore.toFixed(1)} → ${loadAfter.toFixed(1)}, idle ${percent(idle)}, stolen ${percent(stolen)}`;
  return `${cores} × ${model}, ${memoryGb} GB, Node ${node}, Kubernetes ${kubernetes}, ${load}`;
}

function rows(result: Result): readonly (readonly string[])[] {
  const ratios = ratiosOf(result);
  const row = (first: readonly [string, string], who: string, values: readonly number[]): readonly string[] => {
    const { median, min, max } = spreadOf(values);
    const ratio = ratios[who];
    return [...first, who, short(median), short(min), short(max), ratio === undefined ? "" : `× ${short(ratio)}`];
  };
  const others = Object.entries(result.baselines).map(([name, values]) => row(["", ""], name, values));
  return [row([result.measure, result.unit], "ours", result.ours), ...others];
}

function judgedRow({ measure, required, measured, isMet }: Judged): readonly string[] {
  if (measured === undefined) return [measure, required, "left out", ""];
  return [measure, required, short(measured), isMet ? "met" : "NOT MET"];
}

/** Three digits that count; whole numbers above a hundred. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toString();
  return Number(value.toPrecision(3)).toString();
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => (line[at] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** What `--json` prints. A ratio above 1 means that ours is better, whatever is measured. */
export function jsonOf(report: Report, machine: Machine): object {
  return {
    bench: report.bench,
    machine,
    setUp: report.setUp,
    results: report.results.map(jsonResult),
    met: report.results.flatMap(judge).every(({ isMet }) => isMet !== false),
  };
}

function jsonResult(result: Result): object {
  const of = (values: readonly number[]): Spread & { readonly values: readonly number[] } => ({
    ...spreadOf(values),
    values,
  });
  const { measure, unit, better, ours, baselines } = result;
  return {
    measure,
    unit,
    better,
    ours: of(ours),
    baselines: Object.fromEntries(Object.entries(baselines).map(([name, values]) => [name, of(values)])),
    ratios: ratiosOf(result),
    required: judge(result).map(({ required, measured, isMet }) => ({ required, measured, isMet })),
  };
}
