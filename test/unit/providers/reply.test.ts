import { expect, test } from "@jest/globals";
import { failureOf, isAbsence } from "../../../operator/providers/reply.ts";
import type { WireAnswer } from "../../../operator/providers/wire.ts";
import { NOW } from "./account.ts";

test("absence is said by an API's own document, and not by a bare status", () => {
  const isSaid = (status: number, body: unknown): boolean => isAbsence({ status, headers: {}, body });
  expect([isSaid(404, {}), isSaid(410, { error: "gone" })]).toEqual([true, true]);
  expect([isSaid(404, null), isSaid(404, "no"), isSaid(404, undefined), isSaid(400, {})]).not.toContain(true);
});

test("a wait is asked for by those two statuses that mean one", () => {
  const answer = (status: number): WireAnswer => ({
    ...{ ending: "answered", status, headers: { "retry-after": "5" } },
    ...{ bytes: undefined, flaw: undefined },
  });
  expect([429, 503, 500, 404].map((status) => failureOf(answer(status), NOW).retryAfterMs)).toEqual([
    ...[5000, 5000],
    ...[undefined, undefined],
  ]);
});
