import { describe, expect, test } from "@jest/globals";
import { compileProvider } from "../../../operator/providers/compile.ts";
import type { Adapter } from "../../../operator/providers/adapter.ts";
import { searchVariables } from "../../../operator/providers/request.ts";
import { among, readLookUp, readPage } from "../../../operator/providers/search.ts";
import type { WireAnswer, WireEnding } from "../../../operator/providers/wire.ts";
import type { SearchOutcome } from "../../../operator/task/outcome.ts";
import { NOW } from "./account.ts";
import { ATTEMPT_ID, HTTP, sentAttempt, SPEC } from "./spec.ts";

const sought = { attemptId: ATTEMPT_ID, variables: searchVariables(sentAttempt()) };
const ours = (id: unknown): unknown => ({ id, ref: ATTEMPT_ID });
const foreign = { id: "other", ref: "somebody else's" };

function wireAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { ending: "answered", status, headers, bytes: Buffer.from(text), flaw: undefined };
}

function adapterOf(http: Readonly<Record<string, unknown>> = {}): Adapter {
  const compiled = compileProvider({ ...SPEC, http: { ...HTTP, ...http } }, "acme");
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.adapter;
}

function lookUp(ending: WireEnding, jobID = HTTP.lookUp.jobID): SearchOutcome {
  const adapter = adapterOf({ lookUp: { ...HTTP.lookUp, jobID } });
  if (!adapter.lookUp) throw new Error("no look-up");
  return readLookUp(adapter.lookUp, ending, sought, NOW);
}

function list(ending: WireEnding): SearchOutcome {
  const adapter = adapterOf();
  if (!adapter.list) throw new Error("no list");
  const page = readPage(adapter.list, ending, sought, NOW);
  return page.outcome === "page" ? among(page.ids) : page;
}

const FOUND = { outcome: "found", jobId: "job-1" };
const MISSED = { outcome: "missed" };
const unanswered = (code: string, retryAfterMs?: number): SearchOutcome => ({
  outcome: "unanswered",
  code,
  retryAfterMs,
});

const NO_ANSWERS: readonly { readonly when: string; readonly ending: WireEnding; readonly then: SearchOutcome }[] = [
  { when: "a 500", ending: wireAnswer(500, {}), then: unanswered("status-500") },
  { when: "a 401", ending: wireAnswer(401, { items: [] }), then: unanswered("status-401") },
  { when: "a 404 of a gateway", ending: wireAnswer(404, "<html>"), then: unanswered("status-404") },
  { when: "a 404 in JSON", ending: wireAnswer(404, { error: { code: "not_found" } }), then: unanswered("status-404") },
  { when: "a 429", ending: wireAnswer(429, "", { "retry-after": "1" }), then: unanswered("status-429", 1_000) },
  { when: "an empty answer", ending: wireAnswer(200, ""), then: unanswered("unreadable-answer") },
  { when: "a web page", ending: wireAnswer(200, "<html>"), then: unanswered("unreadable-answer") },
  { when: "a reset", ending: { ending: "lost", code: "reset" }, then: unanswered("reset") },
  {
    when: "no connection",
    ending: { ending: "not-sent", code: "connect-refused" },
    then: unanswered("connect-refused"),
  },
];

describe("a look-up", () => {
  test.each([
    { when: "one job is ours", body: { items: [ours("job-1")] }, then: FOUND },
    { when: "the same job is listed twice", body: { items: [ours("job-1"), ours("job-1")] }, then: FOUND },
    { when: "there is none", body: { items: [] }, then: MISSED },
    { when: "the provider ignored the filter", body: { items: [foreign] }, then: MISSED },
    {
      when: "two jobs are ours",
      body: { items: [ours("job-1"), ours("job-2")] },
      then: { outcome: "several", count: 2 },
    },
    { when: "the answer has another shape", body: { error: "odd" }, then: unanswered("unreadable-answer") },
    { when: "our job has no id", body: { items: [ours(null)] }, then: unanswered("unreadable-answer") },
  ])("ends as told when $when", ({ body, then }) => {
    expect(lookUp(wireAnswer(200, body))).toEqual(then);
  });

  test.each(NO_ANSWERS)("finds no absence in $when", ({ ending, then }) => {
    expect(lookUp(ending)).toEqual(then);
  });

  test.each([
    { when: "the first of none", jobID: "response.body.items[0].id", status: 200, body: { items: [] }, then: MISSED },
    {
      when: "the first of one",
      jobID: "response.body.items[0].id",
      status: 200,
      body: { items: [ours("job-1")] },
      then: FOUND,
    },
    {
      when: "no list at all",
      jobID: "response.body.items[0].id",
      status: 200,
      body: {},
      then: unanswered("unreadable-answer"),
    },
    { when: "an empty id", jobID: "response.body.id", status: 200, body: { id: "" }, then: MISSED },
    { when: "a null id", jobID: "response.body.id", status: 200, body: { id: null }, then: MISSED },
    {
      when: "a 404 that the expression reads",
      jobID: 'response.status == 404 ? "" : response.body.id',
      status: 404,
      body: {},
      then: MISSED,
    },
    {
      when: "a 404 that names a job",
      jobID: "response.body.id",
      status: 404,
      body: { id: "job-1" },
      then: unanswered("status-404"),
    },
    {
      when: "a 404 with an empty list",
      jobID: "response.body.items[0].id",
      status: 404,
      body: { items: [] },
      then: unanswered("status-404"),
    },
    { when: "a 500 that the expression reads", jobID: '""', status: 500, body: {}, then: unanswered("status-500") },
  ])("by $jobID understands $when", ({ jobID, status, body, then }) => {
    expect(lookUp(wireAnswer(status, body), jobID)).toEqual(then);
  });
});

describe("a list", () => {
  test.each([
    { when: "one entry is ours", items: [foreign, ours("job-1")], then: FOUND },
    { when: "none is", items: [foreign, foreign], then: MISSED },
    { when: "it is empty", items: [], then: MISSED },
    { when: "some entries have no reference", items: [{ id: "a" }, { id: "b", ref: null }, foreign], then: MISSED },
    { when: "no entry has a reference", items: [{ id: "a" }, { id: "b" }], then: unanswered("unreadable-items") },
    { when: "two are ours", items: [ours("job-1"), ours("job-2")], then: { outcome: "several", count: 2 } },
    { when: "ours has no id", items: [ours(undefined)], then: unanswered("unreadable-items") },
    { when: "it is no list", items: "none", then: unanswered("unreadable-items") },
    {
      when: "it is longer than can be",
      items: Array.from({ length: 1001 }, () => foreign),
      then: unanswered("too-many-items"),
    },
  ])("ends as told when $when", ({ items, then }) => {
    expect(list(wireAnswer(200, { items }))).toEqual(then);
  });

  test.each(NO_ANSWERS)("finds no absence in $when", ({ ending, then }) => {
    expect(list(ending)).toEqual(then);
  });
});
