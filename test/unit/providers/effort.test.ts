import { describe, expect, test } from "@jest/globals";
import { deepestOf, isShort, UNKNOWN_EFFORT } from "../../../operator/providers/effort.ts";
import { makeCompiler } from "../../../operator/providers/expression.ts";
import { makeReading } from "../../../operator/providers/reading.ts";

const compiler = makeCompiler();

function compiled(source: string) {
  const result = compiler.compile(source, "job answer", ["string", "bool", "int", "double", "list", "map", "null"]);
  if (!result.ok) throw new Error(result.message);
  return result.expression;
}

describe("the loops of an expression", () => {
  test.each([
    { source: '"/jobs/" + urlEncode(attempt.jobID)', loops: 0 },
    { source: 'has(response.body.state) ? string(response.body.state).split(",")[0] : "none"', loops: 0 },
    { source: "response.body.outputs.map(o, {'url': o.url})", loops: 1 },
    { source: "response.body.a.filter(a, a > 1).map(b, b + 1)", loops: 1 },
    { source: "response.body.a.filter(a, a.exists(b, b > 1))", loops: 2 },
    { source: "response.body.a.all(a, true) ? false : [2].exists_one(b, b == 2)", loops: 1 },
    { source: "{'a': [response.body.a.map(a, response.body.a.map(b, response.body.a.map(c, 1)))]}", loops: 3 },
    { source: "response.body.map(a, 1).filter(b, response.body.exists(c, c == b))", loops: 2 },
    { source: "response.body.text.contains('a')", loops: 0 },
    { source: "response.body.text.contains(response.body.other)", loops: 1 },
    { source: "response.body.text.split('').join(response.body.other)", loops: 1 },
    { source: "response.body.a.map(a, a.indexOf(response.body.other))", loops: 2 },
    { source: 'response.body.text.matches("^(a+)+$")', loops: Infinity },
    { source: 'response.body.a.map(a, a.text.matches("a"))', loops: Infinity },
    { source: "cel.bind(a, response.body.a + response.body.a, a + a)", loops: Infinity },
  ])("are $loops in $source", ({ loops, source }) => {
    expect(compiled(source).loops).toBe(loops);
  });

  test("of several are the deepest of those that are there", () => {
    expect(deepestOf([undefined, { loops: 1 }, { loops: 0 }])).toBe(1);
    expect(deepestOf([undefined])).toBe(0);
  });
});

describe("a reading is short", () => {
  test.each([
    { effort: { loops: 0, bytes: 1_048_576 }, short: true },
    { effort: { loops: 1, bytes: 4096 }, short: true },
    { effort: { loops: 1, bytes: 4097 }, short: false },
    { effort: { loops: 2, bytes: 10 }, short: false },
    { effort: UNKNOWN_EFFORT, short: false },
  ])("$short: $effort.loops loops over $effort.bytes bytes", ({ effort, short }) => {
    expect(isShort(effort)).toBe(short);
  });

  test("and every other one is cut off", () => {
    const expression = compiled('response.body.matches("^(a+)+$")');
    const response = { status: 200n, headers: {}, body: `${"a".repeat(40)}!` };
    const effort = { loops: expression.loops, bytes: response.body.length };
    expect(makeReading().read(effort, "given up", () => expression({ response }))).toBe("given up");
  });
});
