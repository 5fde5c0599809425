import { describe, expect, test } from "@jest/globals";
import { compileProvider } from "../../../operator/providers/compile.ts";
import { readQuery } from "../../../operator/providers/query.ts";
import { jobVariables } from "../../../operator/providers/request.ts";
import type { WireAnswer } from "../../../operator/providers/wire.ts";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
import { NOW } from "./account.ts";
import { acceptedAttempt, HTTP, SPEC } from "./spec.ts";

const asked = { variables: jobVariables(acceptedAttempt()), url: new URL("https://api.example/v1/jobs/job-1") };

function wireAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { ending: "answered", status, headers, bytes: Buffer.from(text), flaw: undefined };
}

function read(answer: WireAnswer, query: Readonly<Record<string, string>> = {}): QueryOutcome {
  const compiled = compileProvider({ ...SPEC, http: { ...HTTP, query: { ...HTTP.query, ...query } } }, "acme");
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return readQuery(compiled.adapter, answer, asked, NOW);
}

const unanswered = (code: string, retryAfterMs?: number): QueryOutcome => ({
  outcome: "unanswered",
  code,
  retryAfterMs,
});
const job = { id: "job-1", progress: 40, outputs: [], cost: "0", error: null };

interface NoJob {
  readonly answer: WireAnswer;
  readonly state?: string;
  readonly then: QueryOutcome;
}

describe("the state of a job", () => {
  test.each([
    { word: "queued", state: "queued" },
    { word: "running", state: "running" },
    { word: "done", state: "succeeded" },
    { word: "failed", state: "failed" },
    { word: "cancelled", state: "cancelled" },
    { word: "reticulating", state: "unrecognised" },
    { word: "DONE", state: "unrecognised" },
    { word: "", state: "unrecognised" },
  ])("$word is $state", ({ word, state }) => {
    expect(read(wireAnswer(200, { ...job, state: word }))).toMatchObject({ outcome: "job", state });
  });

  test("that is no word is not read", () => {
    expect(read(wireAnswer(200, { state: 3 }), { state: "response.body.state" })).toEqual(
      unanswered("unreadable-state"),
    );
  });

  test("may be said to be missing by the expression", () => {
    expect(read(wireAnswer(200, { state: "UNKNOWN" }), { state: '"Missing"' })).toEqual({
      outcome: "missing",
      documented: true,
    });
  });

  test.each([
    {
      when: "a 404 in JSON",
      answer: wireAnswer(404, { error: "no such job" }),
      then: { outcome: "missing", documented: false } as const,
    },
    {
      when: "a 404 in the provider's own words",
      answer: wireAnswer(404, { error: { code: "no_such_job" } }),
      state: 'response.body.error.code == "no_such_job" ? "Missing" : ""',
      then: { outcome: "missing", documented: true } as const,
    },
    { when: "a 410 in JSON", answer: wireAnswer(410, {}), then: { outcome: "missing", documented: false } as const },
    { when: "a 404 of something on the way", answer: wireAnswer(404, "<html>"), then: unanswered("status-404") },
    { when: "a 401", answer: wireAnswer(401, {}), then: unanswered("status-401") },
    { when: "a 500", answer: wireAnswer(500, {}), then: unanswered("status-500") },
    { when: "a 302", answer: wireAnswer(302, ""), then: unanswered("status-302") },
    { when: "a 429", answer: wireAnswer(429, "", { "retry-after": "2" }), then: unanswered("status-429", 2_000) },
    { when: "a 503", answer: wireAnswer(503, { retry_after: 3 }), then: unanswered("status-503", 3_000) },
    { when: "a web page", answer: wireAnswer(200, "<html>"), then: unanswered("unreadable-answer") },
    { when: "an empty answer", answer: wireAnswer(202, ""), then: unanswered("unreadable-answer") },
    { when: "an answer without a state", answer: wireAnswer(200, {}), then: unanswered("unreadable-state") },
    {
      when: "a body that broke off",
      answer: { ...wireAnswer(200, ""), bytes: undefined, flaw: "closed" },
      then: unanswered("closed"),
    },
  ])("is not changed by $when", ({ answer, state, then }: NoJob) => {
    expect(read(answer, state === undefined ? {} : { state })).toEqual(then);
  });
});

describe("what a job has cost", () => {
  test.each([
    { cost: "0.05", micro: 50_000n },
    { cost: "0", micro: 0n },
    { cost: 2, micro: 2_000_000n },
    { cost: 0.25, micro: 250_000n },
    { cost: "1e-7", micro: undefined },
    { cost: "-1", micro: undefined },
    { cost: "1.23456789", micro: undefined },
    { cost: "twelve", micro: undefined },
    { cost: null, micro: undefined },
    { cost: undefined, micro: undefined },
  ])("$cost is $micro", ({ cost, micro }) => {
    const outcome = read(wireAnswer(200, { ...job, state: "done", cost }));
    expect(outcome).toMatchObject({ outcome: "job", state: "succeeded", cost: micro });
  });
});

describe("progress", () => {
  test.each([
    { progress: 40, percent: 40 },
    { progress: 99.9, percent: 99 },
    { progress: 250, percent: 100 },
    { progress: -1, percent: 0 },
    { progress: "40", percent: undefined },
    { progress: null, percent: undefined },
  ])("$progress is $percent", ({ progress, percent }) => {
    expect(read(wireAnswer(200, { ...job, state: "running", progress }))).toMatchObject({ progress: percent });
  });
});

describe("the word for a failure", () => {
  test.each([
    { says: "content_policy", word: "ContentPolicy" },
    { says: "Request Moderated", word: "RequestModerated" },
    { says: "SAFETY.INPUT.TEXT", word: "SAFETYINPUTTEXT" },
    { says: "model_error", word: "ModelError" },
    { says: "we could not draw a quiet harbour at sunrise for you", word: undefined },
    { says: "a\nb", word: undefined },
    { says: "x".repeat(65), word: undefined },
    { says: 7, word: undefined },
  ])("$says is $word", ({ says, word }) => {
    expect(read(wireAnswer(200, { ...job, state: "failed", error: { code: says } }))).toMatchObject({ failure: word });
  });

  test("is not asked for while the job has not failed", () => {
    const outcome = read(wireAnswer(200, { ...job, state: "running", error: { code: "old" } }));
    expect(outcome).toMatchObject({ failure: undefined });
  });
});

describe("outputs", () => {
  const done = (outputs: unknown, query: Readonly<Record<string, string>> = {}): QueryOutcome =>
    read(wireAnswer(200, { ...job, state: "done", outputs }), query);
  const plain = { outputs: "response.body.outputs" };
  const output = { url: "https://cdn.example/a?sig=1", name: undefined, mediaType: undefined, bytes: undefined };

  test.each([
    {
      when: "everything is told",
      outputs: [{ url: "https://cdn.example/a?sig=1", name: "a.png", media_type: "image/png", bytes: 7 }],
      query: {},
      then: [{ ...output, name: "a.png", mediaType: "image/png", bytes: 7 }],
    },
    { when: "they are bare URLs", outputs: ["https://cdn.example/a?sig=1"], query: plain, then: [output] },
    {
      when: "they are paths at the API's own host",
      outputs: ["/view?file=a"],
      query: plain,
      then: [{ ...output, url: "https://api.example/view?file=a" }],
    },
    {
      when: "the rest is nonsense",
      outputs: [{ url: "https://cdn.example/a?sig=1", name: 7, media_type: null, bytes: -1 }],
      query: {},
      then: [output],
    },
    { when: "there are none", outputs: [], query: {}, then: [] },
    { when: "there is null for none", outputs: null, query: plain, then: [] },
  ])("are read when $when", ({ outputs, query, then }) => {
    expect(done(outputs, query)).toMatchObject({ outcome: "job", state: "succeeded", outputs: then });
  });

  test("that the answer does not have are none", () => {
    expect(read(wireAnswer(200, { state: "done" }))).toMatchObject({ outcome: "job", outputs: [] });
  });

  test.each([
    { when: "one has no URL", outputs: [{ name: "a" }], query: plain, code: "unreadable-outputs" },
    { when: "one has an empty URL", outputs: [""], query: plain, code: "unreadable-outputs" },
    { when: "one is no URL", outputs: ["http://["], query: plain, code: "unreadable-outputs" },
    {
      when: "one URL is endless",
      outputs: [`https://a/${"a".repeat(9000)}`],
      query: plain,
      code: "unreadable-outputs",
    },
    { when: "they are no list", outputs: { url: "https://a/" }, query: plain, code: "unreadable-outputs" },
    { when: "they are text", outputs: "https://a/", query: {}, code: "unreadable-outputs" },
    {
      when: "there are too many",
      outputs: Array.from({ length: 65 }, () => "https://a/"),
      query: plain,
      code: "too-many-outputs",
    },
  ])("that cannot be read say nothing about the job: $when", ({ outputs, query, code }) => {
    expect(done(outputs, query)).toEqual(unanswered(code));
  });

  test("are not looked at before the job is done", () => {
    expect(read(wireAnswer(200, { ...job, state: "running", outputs: "soon" }))).toMatchObject({ outputs: [] });
  });
});
