// What is refused for now says when to come again: the type asks for it, and the answer has it.
import { expect, test } from "@jest/globals";
import { headersOf, Problem, PROBLEMS } from "../../../api-shim/problems.ts";

test("a problem that passes is told with the time to wait", () => {
  const problem = new Problem("overloaded", { detail: "cannot answer now", retryAfterSeconds: 7 });
  expect([problem.status, headersOf(problem)]).toEqual([503, { "retry-after": "7" }]);
});

test("one without that time is no program", () => {
  // @ts-expect-error a 503 needs the time to wait
  new Problem("backlog-full", { detail: "cannot take the task" });
  // @ts-expect-error a 429 needs the time to wait
  new Problem("too-many-requests", { detail: "cannot take the task" });
  expect(new Problem("not-found", { detail: "cannot find the task" }).status).toBe(404);
});

test("every status that asks to wait is one of those that the type knows", () => {
  const waits = Object.entries(PROBLEMS).filter(([, { status }]) => status >= 500 && status !== 500);
  expect(new Set(waits.map(([, { status }]) => status))).toEqual(new Set([503]));
});
