import { PassThrough } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import { makeCluster } from "../../../cli/cluster/client.ts";
import { makeServices } from "../../../cli/cluster/services.ts";
import { chooseCluster } from "../../../cli/cluster/config.ts";
import { complete } from "../../../cli/completion.ts";
import { duration, parseDuration, size } from "../../../cli/output/quantities.ts";
import { columns } from "../../../cli/output/table.ts";
import { makeTerminal } from "../../../cli/output/terminal.ts";
import { makeProgram } from "../../../cli/program.ts";
import { runCommandLine } from "../../../cli/run.ts";

test.each([
  [0, "0ms"],
  [999, "999ms"],
  [1_000, "1s"],
  [119_999, "119s"],
  [120_000, "2m"],
  [192_000, "3m12s"],
  [18_240_000, "5h4m"],
  [266_400_000, "3d2h"],
  [-5, "0ms"],
])("%d ms are %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  ["30s", 30_000],
  ["1h30m", 5_400_000],
  ["0s", 0],
  ["", undefined],
  ["5", undefined],
  ["-1s", undefined],
])("--timeout %s is %s ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 KiB"],
  [2 ** 40, "1.0 TiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(size(bytes)).toBe(text);
});

test("columns are as wide as what is seen of their widest cell", () => {
  expect(
    columns([
      ["A", "B"],
      ["\u001b[32mlong\u001b[0m", "x"],
      ["é", "y"],
    ]),
  ).toEqual(["A      B", "\u001b[32mlong\u001b[0m   x", "é      y"]);
});

describe("colours and bars", () => {
  function terminal(isTTY: boolean, noColour?: string): { readonly painted: string; readonly told: () => string } {
    const err = Object.assign(new PassThrough(), { isTTY });
    const made = makeTerminal({ out: Object.assign(new PassThrough(), { isTTY }), err, noColour });
    made.show("half");
    made.tell("done");
    return { painted: made.paint("x", "red"), told: () => String(err.read()) };
  }

  test("are for terminals", () => {
    const { painted, told } = terminal(true);
    expect([painted, told()]).toEqual(["\u001b[31mx\u001b[0m", "\r\u001b[Khalf\r\u001b[Kdone\n"]);
  });

  test("are nothing elsewhere, and NO_COLOR is heeded", () => {
    const { painted, told } = terminal(false);
    expect([painted, told()]).toEqual(["x", "done\n"]);
    expect(terminal(true, "1").painted).toBe("x");
    expect(terminal(true, "").painted).toBe("\u001b[31mx\u001b[0m");
  });
});

describe("the command line", () => {
  async function run(
    ...words: string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const signal = new AbortController().signal;
    const code = await runCommandLine(words, { out, err, variables: {}, signal });
    return { code, out: String(out.read() ?? ""), err: String(err.read() ?? "") };
  }

  test.each([
    { words: ["nonsense"], says: "cannot understand this: unknown command 'nonsense'" },
    { words: ["why"], says: "cannot understand this: missing required argument 'task'" },
    { words: ["list", "-o", "xml"], says: "argument 'xml' is invalid. Allowed choices are json, yaml, wide, name." },
    { words: ["list", "--kubeconfig", "/nowhere"], says: "cannot read the kubeconfig" },
    { words: ["credits", "--lines", "x"], says: "it must be a whole number" },
  ])("that is wrong ($words) ends with 1 and a sentence on standard error", async ({ says, words }) => {
    const { code, err, out } = await run(...words);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(says);
  });

  test.each([[["--help"]], [["why", "--help"]], [["assets", "get", "--help"]]])(
    "%j explains on standard output and ends with 0",
    async (words) => {
      const { code, err, out } = await run(...words);
      expect([code, err]).toEqual([0, ""]);
      expect(out).toContain("--namespace");
    },
  );
});

describe("completion", () => {
  const program = makeProgram({ run: () => Promise.resolve(), variables: {} });
  const ask = (...words: string[]): Promise<readonly string[]> =>
    complete(program, words, () => Promise.resolve(["sunrise", "sunset"]));

  test.each([
    { words: ["wh"], gives: [/^why\t/, /^:4$/] },
    { words: ["assets", ""], gives: [/^list\t/, /^get\t/, /^:4$/] },
    { words: ["why", "sun"], gives: [/^sunrise$/, /^sunset$/, /^:4$/] },
    { words: ["-n", "studio", "why", "sunr"], gives: [/^sunrise$/, /^:4$/] },
    { words: ["cancel", "sunrise", ""], gives: [/^sunset$/, /^:4$/] },
    { words: ["why", "sunrise", ""], gives: [/^:4$/] },
    { words: ["list", "-o", "j"], gives: [/^json$/, /^:4$/] },
    { words: ["list", "--phase", "Suc"], gives: [/^Succeeded$/, /^:4$/] },
    { words: ["submit", "-f", ""], gives: [/^:0$/] },
    { words: ["resolve", "sunrise", "--not"], gives: [/^--not-created\t/, /^--note\t/, /^:4$/] },
  ])("of $words", async ({ gives, words }) => {
    const lines = await ask(...words);
    expect(lines).toHaveLength(gives.length);
    for (const [index, line] of lines.entries()) expect(line).toMatch(gives[index] ?? /never/);
  });
});

describe("the services", () => {
  const kubeconfig = {
    clusters: [{ name: "c", server: "https://127.0.0.1:1" }],
    users: [{ name: "u", token: "t" }],
    contexts: [{ name: "x", cluster: "c", user: "u" }],
    currentContext: "x",
  };

  test.each([
    { place: "http://evidence.example", says: "cannot send a token in clear" },
    { place: "genop-system", says: "write namespace/name:port" },
    { place: "a/b/../../secrets:1", says: "write namespace/name:port" },
  ])("are not asked at $place", async ({ place, says }) => {
    const { kubeConfig } = chooseCluster(
      { kubeconfig: undefined, context: undefined, namespace: undefined },
      (config) => config.loadFromOptions(kubeconfig),
    );
    const cluster = makeCluster(kubeConfig);
    const services = makeServices(cluster, { evidence: place, rest: place, account: undefined });
    await expect(services.evidence("studio", "/v1/x", new AbortController().signal)).rejects.toThrow(says);
    await cluster.close();
  });
});
