import { describe, expect, test } from "@jest/globals";
import { waitOf } from "../../../cli/why/waits.ts";
import { at, attempt, evidenceOf, facts, task } from "./facts.ts";

describe("until when it waits", () => {
  const status = { phase: "Pending", reason: "BudgetExhausted", nextActionTime: at(43_200) };
  test.each([
    { what: "a moment that is over", retryAt: at(10), until: at(43_200) },
    { what: "one that is to come", retryAt: at(700), until: at(700) },
    { what: "none", retryAt: undefined, until: at(43_200) },
  ])("is told by the status where the record names $what, else by the record", ({ retryAt, until }) => {
    const ended = attempt({ state: "ended", endedAt: at(5), reason: "NotCreated", ...(retryAt && { retryAt }) });
    const waited = waitOf(facts({ task: task(status), evidence: evidenceOf([ended]) }));
    expect(waited?.until).toEqual(new Date(until));
  });

  test("is a moment that is over, where nothing else is known", () => {
    const ended = attempt({ state: "ended", endedAt: at(5), reason: "NotCreated", retryAt: at(10) });
    const waited = waitOf(facts({ task: task({ phase: "Pending" }), evidence: evidenceOf([ended]) }));
    expect(waited?.until).toEqual(new Date(at(10)));
  });
});
