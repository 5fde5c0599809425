import { expect, test } from "@jest/globals";
import { readOptions, usageOf } from "../../bench/options.ts";

const names = ["runtime", "scale"];
const defaults = { json: false, bare: false, rounds: undefined, size: undefined };

test.each([
  [["runtime"], { ...defaults, bench: "runtime" }],
  [
    ["scale", "--json", "--rounds", "3", "--size", "500", "--bare"],
    { bench: "scale", json: true, bare: true, rounds: 3, size: 500 },
  ],
  [["--rounds=7", "runtime"], { ...defaults, bench: "runtime", rounds: 7 }],
  [["--help"], "help"],
  [["nonsense", "--help"], "help"],
])("%j is understood", (args, options) => expect(readOptions(args, names)).toEqual(options));

test.each([
  [[], "cannot run a bench: name one"],
  [["nonsense"], 'cannot run "nonsense": name one bench of these'],
  [["runtime", "scale"], 'cannot run "runtime scale": name one bench of these'],
  [["runtime", "--rounds", "0"], "cannot use --rounds 0: give a whole number above zero"],
  [["runtime", "--size", "many"], "cannot use --size many: give a whole number above zero"],
  [["runtime", "--fast"], "cannot read the command line: unknown option '--fast'"],
])("%j is refused with one sentence", (args, wrong) => expect(readOptions(args, names)).toEqual({ wrong }));

test("the usage names every bench", () => {
  expect(usageOf({ runtime: "our runtime", scale: "many tasks" })).toMatch(/^ {2}runtime {2}our runtime$/m);
});
