// `npm run bench` as it is called, with the smallest work and the contestants that need no building: that it measures, reads the
// work back and cleans up. What it measures here means nothing.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const MAIN = join(import.meta.dirname, "..", "bench", "main.ts");

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function bench(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output, errors })));
}

test("the runtime bench measures ours beside the bare loop, and prints one object", async () => {
  const { code, output, errors } = await bench("runtime", "--bare", "--rounds", "1", "--size", "50", "--json");
  expect(errors).toContain("round 1 of 1: bare-loop");
  expect(code).toBe(0);
  const report = JSON.parse(output) as { readonly bench: string; readonly results: readonly Record<string, unknown>[] };
  expect(report.bench).toBe("runtime");
  const measured = new Map(report.results.map((result) => [result.measure, result]));
  expect(measured.get("throughput")).toMatchObject({
    ratios: { "bare-loop": expect.any(Number) },
    required: [{ isMet: expect.any(Boolean) }, {}, {}],
  });
  expect(measured.get("status writes")).toMatchObject({
    ours: { median: 1 },
    baselines: { "bare-loop": { median: 1 } },
  });
}, 120_000);

test("a word that is no bench is answered with the usage, and starts nothing", async () => {
  const { code, errors, output } = await bench("nonsense");
  expect({ code, output }).toEqual({ code: 2, output: "" });
  expect(errors).toContain("npm run bench -- NAME");
});
