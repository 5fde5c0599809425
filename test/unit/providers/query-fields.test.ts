// What is made of each value of a query's answer: bounds, and what is no value.
import { describe, expect, test } from "@jest/globals";
import type { Adapter } from "../../../operator/providers/adapter.ts";
import { readQuery } from "../../../operator/providers/query.ts";
import type { WireEnding } from "../../../operator/providers/wire.ts";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
import { NOW } from "./account.ts";
import { NOTHING, answer, byHand, failing } from "./by-hand.ts";

type Query = Adapter["query"];
type Job = Extract<QueryOutcome, { readonly outcome: "job" }>;

const NO_SUBMIT: Adapter["submit"] = {
  method: "POST",
  ...{ path: NOTHING, body: NOTHING, jobID: NOTHING, rejected: undefined, reused: undefined },
};
const asked = { variables: {}, url: new URL("https://api.example/v1/jobs/1?x=1") };

function read(query: Partial<Query>, ending: WireEnding = answer(200, {})): QueryOutcome {
  const all: Query = {
    ...{ path: NOTHING, state: byHand(() => "Succeeded"), progress: undefined, outputs: undefined },
    ...{ cost: undefined, failure: undefined, ref: undefined },
    ...query,
  };
  const none = { lookUp: undefined, list: undefined, usage: undefined, cancel: undefined, webhook: undefined };
  return readQuery({ submit: NO_SUBMIT, query: all, ...none }, ending, asked, NOW);
}

const saying = (value: unknown): ReturnType<typeof byHand> => byHand(() => value);
const unanswered = (code: string): QueryOutcome => ({ outcome: "unanswered", code, retryAfterMs: undefined });
const one = (query: Partial<Query>): Job => {
  const outcome = read(query);
  if (outcome.outcome !== "job") throw new Error(`no job: ${outcome.outcome}`);
  return outcome;
};

test("a job of which only the state is asked for has nothing else", () => {
  expect(read({})).toEqual({
    ...{ outcome: "job", state: "succeeded", progress: undefined, outputs: [], cost: undefined },
    ...{ ref: undefined, failure: undefined },
  });
});

test.each<{ readonly when: string; readonly ending: WireEnding; readonly code: string }>([
  { when: "it was lost", ending: { ending: "lost", code: "reset" }, code: "reset" },
  { when: "it never left", ending: { ending: "not-sent", code: "refused" }, code: "refused" },
  { when: "its answer is no JSON", ending: answer(200, "<html>"), code: "unreadable-answer" },
  { when: "its answer broke off", ending: answer(200, "", { bytes: undefined, flaw: "reset" }), code: "reset" },
  { when: "its status is no success", ending: answer(300, {}), code: "status-300" },
])("a query tells nothing when $when", ({ code, ending }) => {
  expect(read({}, ending)).toEqual(unanswered(code));
});

test("a state that asks for what is not there is not read", () => {
  expect(read({ state: failing("no_such_key") })).toEqual(unanswered("unreadable-state"));
});

test.each([
  { status: 404, state: saying("Missing"), documented: true },
  { status: 410, state: saying("Missing"), documented: true },
  { status: 404, state: saying("Failed"), documented: false },
  { status: 404, state: failing("no_such_key"), documented: false },
])("a $status counts as documented only in the provider's own word for it: $documented", (row) => {
  expect(read({ state: row.state }, answer(row.status, {}))).toEqual({
    outcome: "missing",
    documented: row.documented,
  });
});

test.each([
  { value: 7n, percent: 7 },
  { value: 0, percent: 0 },
  { value: 100, percent: 100 },
  { value: 100.5, percent: 100 },
  { value: Number.NaN, percent: undefined },
  { value: Infinity, percent: undefined },
  { value: true, percent: undefined },
])("a progress of $value is $percent", ({ percent, value }) => {
  expect(one({ progress: saying(value) }).progress).toBe(percent);
});

test.each([
  { value: 2n, cost: 2_000_000n },
  { value: "0.000001", cost: 1n },
  { value: true, cost: undefined },
  { value: {}, cost: undefined },
])("a cost of $value is $cost", ({ cost, value }) => {
  expect(one({ cost: saying(value) }).cost).toBe(cost);
});

test.each([
  { value: "r", ref: "r" },
  { value: "r".repeat(256), ref: "r".repeat(256) },
  { value: "r".repeat(257), ref: undefined },
  { value: "", ref: undefined },
  { value: 7, ref: undefined },
])("a reference of $value is $ref", ({ ref, value }) => {
  expect(one({ ref: saying(value) }).ref).toBe(ref);
});

describe("a word for a failure", () => {
  test.each([
    { says: "a_b_c_d_e_f", word: "ABCDEF" },
    { says: "a_b_c_d_e_f_g", word: undefined },
    { says: "a - b", word: "AB" },
    { says: "_a", word: undefined },
    { says: "a_", word: undefined },
    { says: "a!", word: undefined },
    { says: "a\n", word: undefined },
    { says: "", word: undefined },
    { says: "x".repeat(64), word: `X${"x".repeat(63)}` },
  ])("$says is $word", ({ says, word }) => {
    expect(one({ state: saying("Failed"), failure: saying(says) }).failure).toBe(word);
  });
  test("is none where a job has not failed", () => {
    expect(one({ state: saying("Cancelled"), failure: saying("oom") }).failure).toBeUndefined();
  });
});

describe("an output", () => {
  const URL_OF = "https://cdn.example/a";
  const outputs = (...items: unknown[]): QueryOutcome => read({ outputs: saying(items) });
  const first = (item: object): unknown => one({ outputs: saying([{ url: URL_OF, ...item }]) }).outputs[0];

  test.each([
    { field: "name", value: "n".repeat(256), is: "n".repeat(256) },
    { field: "name", value: "n".repeat(257), is: undefined },
    { field: "name", value: "", is: undefined },
    { field: "mediaType", value: "image/png", is: "image/png" },
    { field: "mediaType", value: 1, is: undefined },
    { field: "bytes", value: 0, is: 0 },
    { field: "bytes", value: 7n, is: 7 },
    { field: "bytes", value: -1, is: undefined },
    { field: "bytes", value: 1.5, is: undefined },
    { field: "bytes", value: 2 ** 53, is: undefined },
    { field: "bytes", value: "7", is: undefined },
  ])("whose $field is $value has $is", ({ field, is, value }) => {
    expect(first({ [field]: value })).toMatchObject({ url: URL_OF, [field]: is });
  });

  test("is one of at most 64, each with a URL of at most 8192 letters", () => {
    expect(outputs(...Array.from({ length: 64 }, () => URL_OF))).toMatchObject({ outcome: "job" });
    const long = `https://a/${"a".repeat(8192 - 10)}`;
    expect(outputs(long)).toMatchObject({ outcome: "job" });
    expect(outputs(`${long}a`)).toEqual(unanswered("unreadable-outputs"));
  });

  test.each([null, 7, {}, { url: "" }, { url: 7 }, ["https://a/"]])(
    "is not read from %j, and neither are the others",
    (item) => {
      expect(outputs(URL_OF, item)).toEqual(unanswered("unreadable-outputs"));
    },
  );

  test("is none where the answer has no such key, and unreadable where it is something else", () => {
    expect(read({ outputs: failing("no_such_key") })).toMatchObject({ outcome: "job", outputs: [] });
    expect(read({ outputs: failing("index_out_of_bounds") })).toEqual(unanswered("unreadable-outputs"));
    expect(read({ outputs: byHand(() => JSON.parse("{")) })).toEqual(unanswered("unreadable-outputs"));
  });

  test("given as a path is one of the API's own host, not of the job's own address", () => {
    expect(one({ outputs: saying(["view/1", "/view/2"]) }).outputs.map(({ url }) => url)).toEqual([
      "https://api.example/view/1",
      "https://api.example/view/2",
    ]);
  });
});
