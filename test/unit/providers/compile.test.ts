import { describe, expect, test } from "@jest/globals";
import { compileProvider } from "../../../operator/providers/compile.ts";
import { HTTP, SPEC } from "./spec.ts";

const problemsOf = (changes: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const compiled = compileProvider({ ...SPEC, ...changes }, "acme");
  return compiled.ok ? [] : compiled.problems;
};

const http = (changes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  http: { ...HTTP, ...changes },
});

describe("a provider", () => {
  test("compiles, and gives its settings", () => {
    expect(compileProvider(SPEC, "acme")).toMatchObject({
      ok: true,
      settings: { name: "acme", capabilities: { idempotency: "Replay" }, timeouts: { submitSeconds: 30 } },
    });
  });

  test.each([
    {
      when: "an expression does not compile",
      changes: http({ query: { ...HTTP.query, path: '"/jobs/" + attempt.jobId' } }),
      field: "spec.http.query.path",
      message: /^at character 20: No such key: jobId/,
    },
    {
      when: "a body is text",
      changes: http({ submit: { ...HTTP.submit, body: '"text"' } }),
      field: "spec.http.submit.body",
      message: /^yields string, and must yield map or list$/,
    },
    {
      when: "the schema's own rules are broken",
      changes: http({ lookUp: undefined }),
      field: "spec.http",
      message: /cannot look jobs up by our id/,
    },
    {
      when: "it cannot be read as a URL",
      changes: { baseURL: "http://127.0.0.1:99999/v1" },
      field: "spec.baseURL",
      message: /cannot be read as a URL/,
    },
    {
      when: "a header is the connection's",
      changes: http({ headers: { Host: "other.example" } }),
      field: "spec.http.headers.Host",
      message: /the operator sets it itself/,
    },
    {
      when: "a credential stands among the headers",
      changes: http({ headers: { Authorization: "Bearer x" } }),
      field: "spec.http.headers.Authorization",
      message: /use spec.credentials/,
    },
    {
      when: "the idempotency key would stand in for the body's length",
      changes: http({ idempotencyHeader: "Content-Length" }),
      field: "spec.http.idempotencyHeader",
      message: /the operator sets it itself/,
    },
    {
      when: "a field is unknown",
      changes: { timeouts: { submitSecond: 3 } },
      field: "spec.timeouts",
      message: /submitSecond/,
    },
  ])("is refused, naming $field, when $when", ({ changes, field, message }) => {
    expect(problemsOf(changes)).toContainEqual({ field, message: expect.stringMatching(message) });
  });

  test("has all its problems told at once, and keeps its settings", () => {
    const compiled = compileProvider(
      { ...SPEC, ...http({ query: { path: "x", state: "y" }, cancel: { path: "1" } }) },
      "acme",
    );
    expect(compiled).toMatchObject({ ok: false, settings: { name: "acme" } });
    expect(compiled.ok ? [] : compiled.problems.map(({ field }) => field)).toEqual([
      "spec.http.query.path",
      "spec.http.query.state",
      "spec.http.cancel.path",
    ]);
  });

  test.each([null, undefined, "text", 7, []])("that is %j is refused and breaks nothing", (spec) => {
    expect(compileProvider(spec, "acme")).toMatchObject({ ok: false, settings: undefined });
  });
});
