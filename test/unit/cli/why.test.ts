import { describe, expect, test } from "@jest/globals";
import type { Facts } from "../../../cli/why/facts.ts";
import { whyPage } from "../../../cli/why/page.ts";
import { staysOf } from "../../../cli/why/phases.ts";
import { waitOf } from "../../../cli/why/waits.ts";
import { isFinal } from "../../../operator/task/phase.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { PHASES } from "../../../operator/task/resource.ts";
import { NOON, SECRET, at, attempt, evidenceOf, facts, task } from "./facts.ts";

const plain = (text: string): string => text;

describe("the way through the phases", () => {
  const way = (given: Facts): readonly string[] =>
    staysOf(given).map(
      ({ from, phase, until }) =>
        `${phase} ${(from.getTime() - NOON) / 1000}-${until ? (until.getTime() - NOON) / 1000 : ""}`,
    );

  test("of a lost answer that was found is told by its attempt", () => {
    const found = attempt({
      state: "ended",
      sentAt: at(2),
      deadline: at(32),
      ambiguityCode: "reset",
      ambiguityAt: at(4),
      acceptedAt: at(60),
      readyAt: at(70),
      endedAt: at(80),
    });
    const given = facts({
      task: task({ phase: "Succeeded" }),
      evidence: evidenceOf([found], { endedAt: at(80), endedPhase: "Succeeded" }),
    });
    expect(way(given)).toEqual([
      "Pending 0-2",
      "Submitting 2-4",
      "SubmitUnknown 4-60",
      "Polling 60-70",
      "Fetching 70-80",
      "Succeeded 80-",
    ]);
  });

  test("of an answer that never came is unknown from its deadline on", () => {
    const silent = attempt({ sentAt: at(2), deadline: at(32) });
    expect(way(facts({ task: task({ phase: "SubmitUnknown" }), evidence: evidenceOf([silent]) }))).toEqual([
      "Pending 0-2",
      "Submitting 2-32",
      "SubmitUnknown 32-",
    ]);
  });

  test("by the object alone is in its order, though conditions are told to the second and times to the millisecond", () => {
    const status = {
      ...{ phase: "Succeeded", startTime: at(0.82), submittedTime: at(0.86), completionTime: at(2.1) },
      conditions: [{ type: "Submitted", status: "True", reason: "r", message: "m", lastTransitionTime: at(0) }],
    };
    const given = facts({ task: task(status), evidence: { absent: "away" } });
    expect(way(given)).toEqual(["Pending 0.82-0.86", "Submitting 0.86-0.86", "Polling 0.86-2.1", "Succeeded 2.1-"]);
  });

  test("goes back to Pending between attempts", () => {
    const first = attempt({ state: "ended", sentAt: at(2), deadline: at(32), endedAt: at(5), reason: "NotCreated" });
    const second = attempt({
      number: 2,
      begunAt: at(20),
      state: "accepted",
      sentAt: at(21),
      deadline: at(51),
      acceptedAt: at(22),
    });
    expect(way(facts({ task: task({ phase: "Polling" }), evidence: evidenceOf([first, second]) }))).toEqual([
      "Pending 0-2",
      "Submitting 2-5",
      "Pending 5-21",
      "Submitting 21-22",
      "Polling 22-",
    ]);
  });

  test("is told by the status where the record can't be read", () => {
    const condition = { type: "Submitted", status: "True", lastTransitionTime: at(5), reason: "Running", message: "" };
    const status = {
      phase: "Succeeded",
      startTime: at(0),
      submittedTime: at(2),
      completionTime: at(9),
      conditions: [condition],
    };
    expect(way(facts({ task: task(status) }))).toEqual([
      "Pending 0-2",
      "Submitting 2-5",
      "Polling 5-9",
      "Succeeded 9-",
    ]);
  });
});

describe("what is waited for", () => {
  test.each(PHASES)("is told in %s unless it is final", (phase) => {
    expect(waitOf(facts({ task: task({ phase }) })) === undefined).toBe(isFinal(phase));
  });

  test("is the limit that stands in the way, and the place in line", () => {
    const blocked = attempt({ state: "intended", blockedBy: "rate" });
    const status = { phase: "Pending", reason: "QuotaExhausted", queuePosition: 3 };
    const { what } = waitOf(facts({ task: task(status), evidence: evidenceOf([blocked]) })) ?? {};
    expect(what).toBe("the provider's quota, place 3 in line: the provider's rate of submits is used up");
  });
});

describe("the page", () => {
  const parked = attempt({
    sentAt: at(2),
    deadline: at(32),
    ambiguityCode: "reset",
    ambiguityAt: at(4),
    looks: 3,
    misses: 3,
    searchNextAt: at(900),
    calls: [{ operation: "submit", startedAt: at(2), finishedAt: at(4), outcome: "ambiguous", code: "reset" }],
  });
  const status = { phase: "NeedsReview", reason: "SubmitUnresolved", message: REASONS.SubmitUnresolved, attempt: 1 };
  const given = facts({
    task: task(status, { activeDeadlineSeconds: 3600, maxCredits: "0.1" }),
    evidence: evidenceOf([parked], { parkedAt: at(300) }),
    account: { available: "4.95", held: "0.05", lines: [] },
  });

  test("of a task that waits for a person is this", () => {
    expect(whyPage(given, plain).join("\n")).toBe(`Task        studio/sunrise
For         model image of provider acme
Phase       NeedsReview for 5m: SubmitUnresolved
            it can't be known whether the provider took the submit
Waits for   a person's decision; next in 5m (2026-01-01T12:15:00Z); it fails by itself in 50m
            (2026-01-01T13:00:00Z) if it has not ended
Next        Look in the provider's console for a job of this task, by the time of the submit or the
            reference id-1. Then say what is there: the job's id, or that there is certainly none (a
            new one is then paid for). Write it off only if nobody will ever know.
              kubectl genop resolve sunrise -n studio --bind-job JOB_ID
              kubectl genop resolve sunrise -n studio --not-created
              kubectl genop resolve sunrise -n studio --write-off
Money       0 paid, 0.05 held, 0 given back; an attempt may cost 0.1; the namespace has 4.95 left

Phases
  Pending         2026-01-01T12:00:00Z   2s
  Submitting      2026-01-01T12:00:02Z   2s
  SubmitUnknown   2026-01-01T12:00:04Z   4m56s
  NeedsReview     2026-01-01T12:05:00Z   5m so far

Attempts
  #1 live, begun 9m59s ago
     sent, reference id-1
     no clear answer to the submit: reset
     looked for 3 times, not there 3 times in a row
     0.05 held
     submit 9m58s ago: ambiguous reset, took 2s`);
  });

  test.each([
    { late: { state: "searching", nextAt: at(900) }, says: "still looked for, in case a job turns up" },
    { late: { state: "over", verdict: "none" }, says: "no job of it ever turned up" },
    {
      late: { state: "over", verdict: "succeeded", jobID: "job-1", booked: "0.05" },
      says: "its job job-1 turned up late: succeeded; 0.05 booked as the platform's loss",
    },
  ])("says what became of the job of an attempt that was given up ($late)", ({ late, says }) => {
    const givenUp = attempt({
      state: "ended",
      sentAt: at(2),
      deadline: at(32),
      endedAt: at(60),
      reason: "WrittenOff",
      late,
    });
    const lines = whyPage(facts({ task: task({ phase: "Failed" }), evidence: evidenceOf([givenUp]) }), plain);
    expect(lines).toContain(`     ${says}`);
  });

  test("says of what is absent why, and shows the rest", () => {
    const page = whyPage(facts({ task: task(status), events: { absent: "events is forbidden" } }), plain).join("\n");
    expect(page).toContain("Attempts\n  not shown: nobody was asked");
    expect(page).toContain("Events\n  not shown: events is forbidden");
    expect(page).toContain("Next        Look in the provider's console");
  });

  test("shows no input, and nothing that moves the cursor", () => {
    const message = "\u001b[2Jfake\nlines\u202e";
    const page = whyPage(facts({ task: task({ phase: "Failed", reason: "JobFailed", message }) }), plain).join("\n");
    expect(page).not.toContain(SECRET);
    // eslint-disable-next-line no-control-regex -- that is what is looked for
    expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

test("what people decided is told, with who and why, and with whatever is wrong in their words made harmless", () => {
  const decision = {
    at: at(10),
    attempt: 1,
    decision: "BindJob",
    jobID: "job_8f2c",
    note: "found\u001b[2J it",
    by: "kim",
  };
  const evidence = { ...evidenceOf([attempt({})]), decisions: [decision] };
  const page = whyPage(facts({ task: task({ phase: "Polling" }), evidence }), plain).join("\n");
  expect(page).toMatch(/Decisions\n.*ago +BindJob of attempt 1: job job_8f2c +by kim: found/);
  expect(page).not.toContain("\u001b");
});
