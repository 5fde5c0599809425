import { describe, expect, test } from "@jest/globals";
import { ROLES } from "../../demo/cast.ts";
import type { Role } from "../../demo/cast.ts";
import { comparisonLines } from "../../demo/comparison.ts";
import { objectionTo } from "../../demo/expectation.ts";
import type { Played } from "../../demo/expectation.ts";
import type { Figures } from "../../demo/figures.ts";
import { oneOfEachType } from "../../demo/files.ts";
import type { Asset } from "../../demo/files.ts";
import type { Account } from "../../demo/statement.ts";
import { reviewOf } from "../../demo/try-next.ts";
import { Simulate } from "../../provider/schema/simulate.ts";
import { attemptLine, jobRecord, seenTask } from "./seen-task.ts";

describe("a role", () => {
  const role: Role = {
    ...{ name: "lost", shows: "", tenant: "studio", wish: { model: "sim-image" } },
    end: { phase: "Succeeded", attempts: 2, jobs: 1, through: "SubmitUnknown" },
  };
  const played = (overrides: Partial<Played> = {}): Played => ({
    task: seenTask("lost", { phase: "Succeeded", attempt: 2 }),
    phasesSeen: new Set(["SubmitUnknown", "Succeeded"]),
    jobs: [jobRecord()],
    ...overrides,
  });

  test("that was played as written meets no objection", () => {
    expect(objectionTo(role, played())).toBeUndefined();
  });

  const CASES: readonly { readonly when: string; readonly played: Played; readonly says: string }[] = [
    { when: "is not there", played: played({ task: undefined }), says: "is in no phase" },
    {
      when: "ended otherwise",
      played: played({ task: seenTask("lost", { phase: "Failed", attempt: 2, message: "no luck" }) }),
      says: "should be Succeeded and is Failed (no luck)",
    },
    {
      when: "needed another number of attempts",
      played: played({ task: seenTask("lost", { phase: "Succeeded", attempt: 1 }) }),
      says: "2 attempts and had 1",
    },
    {
      when: "made two jobs",
      played: played({ jobs: [jobRecord(), jobRecord()] }),
      says: "1 jobs at the provider and has 2",
    },
    { when: "never was in doubt", played: played({ phasesSeen: new Set() }), says: "never seen in SubmitUnknown" },
  ];
  test.each(CASES)("that $when meets an objection", ({ played: how, says }) => {
    expect(objectionTo(role, how)).toContain(says);
  });
});

describe("the cast", () => {
  test("has a name for each", () => {
    expect(new Set(ROLES.map(({ name, tenant }) => `${tenant}/${name}`)).size).toBe(ROLES.length);
  });

  test("fits a screen of 24 lines", () => {
    expect(ROLES.length).toBeLessThanOrEqual(18);
  });

  test.each(ROLES)("$name asks the provider for what it knows", ({ wish }) => {
    expect(() => Simulate.parse(wish.simulate ?? {})).not.toThrow();
  });
});

describe("the comparison", () => {
  const zero = { tasks: 1, succeeded: 0, failed: 0, needsReview: 1, jobsAccepted: 1, seconds: 1 };
  const figures: Figures = { ...zero, jobsPaidTwice: 0, jobsUnaccounted: 0, ledgerUnbalanced: 0, openHolds: 0 };
  const account = { namespace: "studio", settled: 10_000n } as Account;
  const inReview = attemptLine({
    attemptId: "attempt-2",
    taskKey: "studio/odd",
    jobId: undefined,
    state: "sent",
    taskParked: true,
    charge: undefined,
  });
  const jobs = [jobRecord(), jobRecord({ id: "job-2", ref: "attempt-2" })];
  const billed = jobs.map(({ id }) => ({ jobId: id, reference: "", ref: null, model: "", amount: "0.01", at: "" }));
  const text = comparisonLines({
    record: { jobs, billed, requests: [] },
    attempts: [attemptLine(), inReview],
    accounts: [account],
    figures,
  }).join("\n");

  test("puts what the provider billed beside what was settled", () => {
    expect(text).toMatch(/credits +0\.02 billed +0\.01 settled/);
    expect(text).toMatch(/jobs +2 accepted +1 accepted, 1 in review/);
  });

  test("explains what is billed there and held here", () => {
    expect(text).toContain("0.01 of it was billed for the task in review (studio/odd)");
  });
});

test("what a person would find in the provider's console is offered as the decision", () => {
  const parked = attemptLine({ jobId: undefined, state: "sent", taskParked: true, number: 3 });
  expect(reviewOf([attemptLine({ attemptId: "other" }), parked], { jobs: [jobRecord()] })).toEqual({
    attempt: 3,
    jobId: "job-1",
  });
  expect(reviewOf([parked], { jobs: [] })).toEqual({ attempt: 3, jobId: undefined });
  expect(reviewOf([attemptLine()], { jobs: [] })).toBeUndefined();
});

test("one file of each type is enough to look at", () => {
  const asset = (name: string, mediaType: string): Asset => ({
    name,
    mediaType,
    task: "",
    uri: "",
    bytes: 1,
    sha256: "",
  });
  const assets = [asset("a", "image/png"), asset("b", "image/png"), asset("c", "audio/wav")];
  expect(oneOfEachType(assets).map(({ name }) => name)).toEqual(["a", "c"]);
});
