import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ChildProcess } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { ANNOUNCED, DEMO_LIMIT_MS, ended, makeDemoFolder, startDemo } from "../demo/process.ts";

/** Where a demo puts all that it puts anywhere. */
let folder: string;
beforeAll(() => {
  folder = makeDemoFolder();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves when a line of its standard error says so, and rejects when it ends before. */
function heard(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error(`the demo ended without saying "${words}"`)));
    if (child.stderr) createInterface({ input: child.stderr }).on("line", (line) => line.includes(words) && resolve());
  });
}

test(
  "the demo ends by itself, as announced, with its figures alone on standard output",
  async () => {
    const { code, stderr, stdout } = await ended(startDemo(folder, ["--once", "--json"]));
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(stdout)).toEqual(ANNOUNCED);
    expect(stderr).toContain("SIGKILL to the operator");
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^generation-operator-demo-/)]); // the files to look at
  },
  DEMO_LIMIT_MS,
);

test(
  "Ctrl-C in the middle ends everything and leaves nothing behind",
  async () => {
    const before = readdirSync(folder);
    const child = startDemo(folder, ["--json"]);
    const end = ended(child);
    await heard(child, "tasks were applied");
    child.kill("SIGINT");
    const { code, stdout } = await end;
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(readdirSync(folder)).toEqual(before);
  },
  DEMO_LIMIT_MS,
);

test.each([["--nope"], ["--kubeconfig"]])(
  "%s is refused in one sentence, and nothing is started",
  async (...args) => {
    const { code, stderr, stdout } = await ended(startDemo(folder, args));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^cannot [^\n]+\n$/);
  },
  DEMO_LIMIT_MS,
);
