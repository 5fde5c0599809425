// docs/reference/mutants.md is held to the areas that are mutated, and its sums to themselves. The figures are the command's.
import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { AREAS, judgesOf, mutatedIn } from "../mutants/code/areas.ts";
import { ROOT, bare, listed, readText, rowsWith } from "./markdown.ts";

const PAGE = readText("docs/reference/mutants.md");
const MEASURED = rowsWith(PAGE, ["area", "mutants", "killed", "survived", "score"]);
const EXPLAINED = rowsWith(PAGE, ["file", "survivors", "what is changed", "why no test turns red"]);

describe("docs/reference/mutants.md", () => {
  test("has every area with its code and its judges, and no other", () => {
    const told = rowsWith(PAGE, ["area", "code", "judged by"]);
    expect(told.map((row) => [bare(row.area), listed(row.code), listed(row["judged by"])])).toEqual(
      AREAS.map(({ judges, mutated, name }) => [
        name,
        mutated.map((path) => `operator/${path}`),
        judges.map((path) => `test/${path}`),
      ]),
    );
    expect(MEASURED.map(({ area }) => bare(area))).toEqual(AREAS.map(({ name }) => name));
  });

  test.each(MEASURED)("has sums and a score that are right for $area, and that are enough", (row) => {
    const [mutants, killed, survived] = [Number(row.mutants), Number(row.killed), Number(row.survived)];
    expect(killed + survived).toBe(mutants);
    expect(row.score).toBe(`${((100 * killed) / mutants).toFixed(1)} %`);
    expect(killed / mutants).toBeGreaterThanOrEqual(0.9);
  });

  test.each(AREAS)("explains as many survivors of $name as there are", (area) => {
    const files = mutatedIn(area);
    const own = EXPLAINED.filter(({ file }) => files.includes(bare(file)));
    const sum = own.reduce((total, { survivors }) => total + Number(survivors), 0);
    expect(sum).toBe(Number(MEASURED.find(({ area: name }) => bare(name) === area.name)?.survived));
  });

  test("explains survivors of files that are mutated, and of no others", () => {
    const files = AREAS.flatMap(mutatedIn);
    expect(EXPLAINED.map(({ file }) => bare(file)).filter((file) => !files.includes(file))).toEqual([]);
  });
});

describe("the areas", () => {
  test.each(AREAS)("$name has code, and judges for it", (area) => {
    for (const pattern of area.mutated) expect(globSync(pattern, { cwd: join(ROOT, "operator") })).not.toEqual([]);
    for (const pattern of area.judges) expect(globSync(pattern, { cwd: join(ROOT, "test") })).not.toEqual([]);
    expect(judgesOf(area)).not.toEqual([]);
  });

  test("have no file in common, and all of operator/task but its schemas", () => {
    const mutated = AREAS.flatMap(mutatedIn);
    expect(mutated.filter((file, index) => mutated.indexOf(file) !== index)).toEqual([]);
    const left = globSync("operator/task/**/*.ts", { cwd: ROOT }).filter((file) => !mutated.includes(file));
    expect(left.filter((file) => !/(resource|parts|fields|rule)\.ts$/.test(file))).toEqual([]);
  });
});
