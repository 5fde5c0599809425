import { expect, test } from "@jest/globals";
import { cpuOf, ioOf, memoryOf, usageOf } from "../../bench/process-usage.ts";
import { sumOf } from "../../bench/api.ts";

test("CPU time is user and system time of all threads, whatever the process is called", () => {
  const stat = "42 (a name) with ) in it) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 11 0 1000 1 1";
  expect(cpuOf(stat)).toEqual({ cpuSeconds: 3 });
});

test("memory is in megabytes", () => {
  expect(memoryOf("Name:\tnode\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n")).toEqual({
    residentMb: 100,
    peakResidentMb: 200,
  });
});

test("bytes are those read and those written", () => {
  expect(ioOf("rchar: 1000\nwchar: 234\nsyscr: 7\n")).toEqual({ ioBytes: 1234 });
});

test("a process that works uses time, and one that is not there is no process", () => {
  const before = usageOf(process.pid).cpuSeconds;
  const started = process.cpuUsage();
  while (process.cpuUsage(started).user < 50_000) Math.sqrt(2);
  expect(usageOf(process.pid).cpuSeconds).toBeGreaterThan(before);
  expect(() => usageOf(2 ** 30)).toThrow("ENOENT");
});

test("a counter is summed over the series that have the labels", () => {
  const metrics = [
    'requests_total{code="200",resource="widgets",subresource="status"} 3',
    'requests_total{code="409",resource="widgets",subresource="status"} 1e+03',
    'requests_total{code="200",resource="widgets",subresource=""} 5',
    'requests_total_other{resource="widgets",subresource="status"} 7',
  ].join("\n");
  expect(sumOf(metrics, "requests_total", { resource: "widgets", subresource: "status" })).toBe(1003);
});
