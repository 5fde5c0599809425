import { describe, expect, test } from "@jest/globals";
import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { readOptions } from "../../demo/options.ts";
import { canRedraw, makeScreen } from "../../demo/screen.ts";
import type { Row } from "../../demo/table.ts";

describe("the command line", () => {
  const NOTHING = { once: false, json: false, help: false, kubeconfig: undefined };
  const GOOD = [
    { args: [], options: NOTHING },
    { args: ["--once", "--json"], options: { ...NOTHING, once: true, json: true } },
    { args: ["--kubeconfig", "here"], options: { ...NOTHING, kubeconfig: "here" } },
    { args: ["--kubeconfig=here"], options: { ...NOTHING, kubeconfig: "here" } },
    { args: ["--help"], options: { ...NOTHING, help: true } },
  ];
  test.each(GOOD)("$args is understood", ({ args, options }) => {
    expect(readOptions(args)).toEqual(options);
  });

  const BAD = [["--nope"], ["once"], ["--kubeconfig"], ["--kubeconfig="], ["--once=yes"], ["--kubeconfig", "--once"]];
  test.each(BAD.map((args) => ({ args })))("$args is refused in one line", ({ args }) => {
    const options = readOptions(args);
    expect(options).toEqual({ wrong: expect.stringMatching(/^cannot [^\n]+$/) });
  });
});

describe("a table is redrawn", () => {
  const CASES = [
    { when: "on a terminal", isTTY: true, variables: { TERM: "xterm" }, redrawn: true },
    { when: "not where lines are read by a program", isTTY: false, variables: {}, redrawn: false },
    { when: "not with NO_COLOR", isTTY: true, variables: { NO_COLOR: "1" }, redrawn: false },
    { when: "as usual with an empty NO_COLOR", isTTY: true, variables: { NO_COLOR: "" }, redrawn: true },
    { when: "not on a dumb terminal", isTTY: true, variables: { TERM: "dumb" }, redrawn: false },
    { when: "not in CI", isTTY: true, variables: { CI: "true" }, redrawn: false },
  ];
  test.each(CASES)("$when", ({ isTTY, redrawn, variables }) => {
    expect(canRedraw({ isTTY }, variables)).toBe(redrawn);
  });
});

describe("the screen", () => {
  const row = (phase: string): Row => ({
    ...{ name: "one", shows: "an image", phase, reason: "Running", attempt: "1", job: "", credits: "", seconds: "1" },
    settled: false,
  });
  function screenWith(live: boolean): {
    readonly screen: ReturnType<typeof makeScreen>;
    readonly written: () => string;
  } {
    const out = Object.assign(new PassThrough(), { columns: 160, rows: 24 });
    return {
      screen: makeScreen(out as unknown as WriteStream, { live, seconds: () => 2.34 }),
      written: () => String(out.read() ?? ""),
    };
  }

  test("without a terminal prints changes, and no control characters", () => {
    const { screen, written } = screenWith(false);
    screen.show([row("Polling")]);
    screen.changed(row("Polling"), "the job is running");
    screen.say("something happens");
    screen.finish();
    expect(written()).toBe(
      "   2.3 s  one                  Polling        the job is running (attempt 1)\n   2.3 s  something happens\n",
    );
  });

  test("on a terminal goes up over the old table before it draws the new one", () => {
    const { screen, written } = screenWith(true);
    screen.show([row("Polling")]);
    expect(written()).not.toContain("\u001B[2A");
    screen.show([row("Fetching")]);
    expect(written()).toMatch(/\[2A\r.\[0J[^]*Fetching/);
  });

  test("on a terminal keeps what is said above the table", () => {
    const { screen, written } = screenWith(true);
    screen.show([row("Polling")]);
    written();
    screen.say("something happens");
    expect(written()).toMatch(/\[2A[^]*something happens[^]*NAME[^]*Polling/);
  });

  test("after the end leaves the table, and prints changes below it", () => {
    const { screen, written } = screenWith(true);
    screen.show([row("Polling")]);
    screen.finish();
    written();
    screen.show([row("Fetching")]);
    screen.changed(row("Fetching"), "outputs are copied");
    expect(written()).toMatch(/^[^A]*one +Fetching +outputs are copied[^A]*$/);
  });
});
