import { expect, test } from "@jest/globals";
import { cpuOfTree, parseStat } from "../../bench/lifecycle/process-tree.ts";

test("a line of /proc/PID/stat whose name has spaces and brackets", () => {
  const line = "42 (postgres: (a) b) S 7 42 42 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 5 6 7";
  expect(parseStat(line)).toEqual({ parent: 7, ticks: 100 });
});

test("this process and its children have used CPU", () => {
  expect(cpuOfTree(process.pid)).toBeGreaterThan(0);
});
