import { describe, expect, test } from "@jest/globals";
import { OutOfTime, makeTimeLimit } from "../../../operator/providers/bounded-time.ts";
import { ExpressionFault, makeCompiler, type Place, type ResultType } from "../../../operator/providers/expression.ts";

const compiler = makeCompiler();
const TEXT: readonly ResultType[] = ["string"];

const VARIABLES = {
  task: { model: "m", input: { prompt: "p", count: 2, size: [512, 512] }, namespace: "studio", name: "n", key: "k" },
  attempt: { id: "a/1", webhookURL: "", number: 1n, sentAt: new Date("2026-11-30T12:00:00Z"), jobID: "j" },
  response: { status: 404n, headers: { "x-a": "b" }, body: { code: 0, items: [{ id: "one" }], nothing: null } },
  item: { ref: "a/1" },
};

function valueOf(
  source: string,
  place: Place,
  accepted: readonly ResultType[] = ["string", "bool", "int", "double", "list", "map", "null"],
): unknown {
  const compiled = compiler.compile(source, place, accepted);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.expression(VARIABLES);
}

describe("an expression", () => {
  test.each<{ source: string; place: Place; value: unknown }>([
    { source: '"/models/" + task.model', place: "submit", value: "/models/m" },
    { source: "urlEncode(attempt.id)", place: "submit", value: "a%2F1" },
    { source: 'string(attempt.sentAt - duration("60s"))', place: "search", value: "2026-11-30T11:59:00.000Z" },
    { source: '{"n": 2, "input": task.input}', place: "submit", value: { n: 2n, input: VARIABLES.task.input } },
    { source: "response.status == 404", place: "job answer", value: true },
    { source: "response.body.code == 0", place: "job answer", value: true },
    { source: 'response.headers["x-a"]', place: "job answer", value: "b" },
    { source: "response.body.items.map(i, i.id)", place: "job answer", value: ["one"] },
    { source: "item.ref == attempt.id", place: "list item", value: true },
  ])("$source gives its value", ({ source, place, value }) => {
    expect(valueOf(source, place)).toEqual(value);
  });

  test.each<{ source: string; place: Place; accepted?: readonly ResultType[]; says: RegExp }>([
    { source: '"/jobs/" +', place: "submit", says: /^at character 11: / },
    { source: "tusk.model", place: "submit", says: /^at character 1: Unknown variable: tusk/ },
    { source: "task.modle", place: "submit", says: /^at character 6: No such key: modle/ },
    { source: "task.input", place: "job", says: /^at character 6: No such key: input/ },
    { source: "attempt.jobID", place: "submit", says: /^at character 9: No such key: jobID/ },
    { source: "response.body", place: "submit", says: /^at character 1: Unknown variable: response/ },
    { source: "item.id", place: "job answer", says: /^at character 1: Unknown variable: item/ },
    { source: "response.status + 1", place: "job answer", accepted: TEXT, says: /^yields int, and must yield string$/ },
    { source: '["a"]', place: "job answer", accepted: TEXT, says: /^yields list, and must yield string$/ },
    { source: "attempt.sentAt", place: "search", accepted: TEXT, says: /^yields Timestamp, and must yield string$/ },
    { source: "task.model + 1", place: "submit", says: /^at character 1: / },
    { source: "process.exit()", place: "submit", says: /Unknown variable: process/ },
    { source: "[".repeat(60), place: "submit", says: /maxDepth/ },
    {
      source: Array.from({ length: 400 }, () => "task.model").join(" + "),
      place: "submit",
      says: /maxAstNodes|maxDepth/,
    },
  ])("$source is refused when it is compiled, with its position", ({ source, place, accepted = TEXT, says }) => {
    const compiled = compiler.compile(source, place, accepted);
    expect(compiled).toEqual({ ok: false, message: expect.stringMatching(says) });
  });

  test.each([
    { source: "response.body.nope", code: "no_such_key" },
    { source: "response.body.items[5].id", code: "index_out_of_bounds" },
    { source: "response.body.nothing.map(x, x)", code: "invalid_comprehension_range" },
    { source: "response.body.constructor", code: "no_such_key" },
    { source: "response.body.__proto__", code: "no_such_key" },
    { source: "response.body.items.toString", code: "no_such_key" },
  ])("$source ends as $code over an answer that does not hold it", ({ source, code }) => {
    expect(() => valueOf(source, "job answer")).toThrow(expect.objectContaining({ code }));
    expect(() => valueOf(source, "job answer")).toThrow(ExpressionFault);
  });
});

describe("a time limit", () => {
  const withinTime = makeTimeLimit();
  const limited = (source: string, body: unknown): unknown => {
    const compiled = compiler.compile(source, "job answer", ["bool", "list"]);
    if (!compiled.ok) throw new Error(compiled.message);
    return withinTime(50, () => compiled.expression({ ...VARIABLES, response: { ...VARIABLES.response, body } }));
  };
  const loops = "response.body.map(a, response.body.map(b, response.body.map(c, 1)))";

  test("cuts off a regular expression that backtracks for ever", () => {
    expect(() => limited('response.body.matches("^(a+)+$")', `${"a".repeat(40)}!`)).toThrow(OutOfTime);
  });

  test("cuts off loops within loops, and leaves the expression fit for use", () => {
    expect(() =>
      limited(
        loops,
        Array.from({ length: 3000 }, (_, index) => index),
      ),
    ).toThrow(OutOfTime);
    expect(limited(loops, [1, 2])).toEqual([
      [
        [1n, 1n],
        [1n, 1n],
      ],
      [
        [1n, 1n],
        [1n, 1n],
      ],
    ]);
  });

  test("passes on what the work returns or throws", () => {
    expect(withinTime(1000, () => "done")).toBe("done");
    expect(() =>
      withinTime(1000, () => {
        throw new RangeError("mine");
      }),
    ).toThrow(RangeError);
  });
});
