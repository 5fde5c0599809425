// Who is admitted, who waits, and for how long: the arithmetic alone.
import { describe, expect, test } from "@jest/globals";
import { admit, isUnlimited } from "../../../operator/postgres/admission.ts";
import type { Crowd, Line, Verdict } from "../../../operator/postgres/admission.ts";
import type { Admission } from "../../../operator/task/quota.ts";

const EMPTY: Crowd = { inFlight: 0, ahead: 0 };
const QUIET: Line = { provider: EMPTY, model: EMPTY, namespace: EMPTY, waitingAhead: 0, dueInMs: 0 };
const UNLIMITED: Admission = {
  inFlight: undefined,
  modelInFlight: undefined,
  namespaceInFlight: undefined,
  rate: undefined,
};
const ADMITTED: Verdict = { verdict: "admitted" };
const blocked = (by: "provider" | "model" | "namespace" | "rate", afterMs: number): Verdict => ({
  verdict: "blocked",
  by,
  afterMs,
});

interface Case {
  readonly when: string;
  readonly admission?: Partial<Admission>;
  readonly line?: Partial<Line>;
  readonly then: Verdict;
}

const PLACES: readonly Case[] = [
  { when: "nothing is limited", then: ADMITTED },
  {
    when: "a place is left",
    admission: { inFlight: 3 },
    line: { provider: { inFlight: 2, ahead: 0 } },
    then: ADMITTED,
  },
  {
    when: "all places are taken",
    admission: { inFlight: 3 },
    line: { provider: { inFlight: 3, ahead: 0 } },
    then: blocked("provider", 400),
  },
  {
    when: "the last place is promised to who waits before",
    admission: { inFlight: 3 },
    line: { provider: { inFlight: 2, ahead: 1 }, waitingAhead: 1 },
    then: blocked("provider", 800),
  },
  {
    when: "there are more places than people before",
    admission: { inFlight: 5 },
    line: { provider: { inFlight: 2, ahead: 2 }, waitingAhead: 2 },
    then: ADMITTED,
  },
  { when: "the limit is zero", admission: { inFlight: 0 }, then: blocked("provider", 400) },
  {
    when: "the limit was lowered below what runs",
    admission: { inFlight: 1 },
    line: { provider: { inFlight: 4, ahead: 0 } },
    then: blocked("provider", 400),
  },
  {
    when: "model and provider are full, the model is told",
    admission: { inFlight: 1, modelInFlight: 1 },
    line: { provider: { inFlight: 1, ahead: 0 }, model: { inFlight: 1, ahead: 0 } },
    then: blocked("model", 400),
  },
  {
    when: "only the namespace is full",
    admission: { inFlight: 9, namespaceInFlight: 1 },
    line: { namespace: { inFlight: 1, ahead: 0 } },
    then: blocked("namespace", 400),
  },
  {
    when: "the line is long, the wait has an end",
    admission: { inFlight: 0 },
    line: { waitingAhead: 900 },
    then: blocked("provider", 15_000),
  },
];

const RATES: readonly Case[] = [
  {
    when: "it has rested",
    admission: { rate: { intervalMs: 1000, burst: 1 } },
    line: { dueInMs: -5000 },
    then: ADMITTED,
  },
  { when: "it is due now", admission: { rate: { intervalMs: 1000, burst: 1 } }, line: { dueInMs: 0 }, then: ADMITTED },
  {
    when: "it is too early",
    admission: { rate: { intervalMs: 1000, burst: 1 } },
    line: { dueInMs: 640.2 },
    then: blocked("rate", 641),
  },
  {
    when: "the burst allows it",
    admission: { rate: { intervalMs: 1000, burst: 3 } },
    line: { dueInMs: 2000 },
    then: ADMITTED,
  },
  {
    when: "the burst is used up",
    admission: { rate: { intervalMs: 1000, burst: 3 } },
    line: { dueInMs: 2001 },
    then: blocked("rate", 20),
  },
  {
    when: "those before have their moments first",
    admission: { rate: { intervalMs: 1000, burst: 1 } },
    line: { dueInMs: 500, provider: { inFlight: 0, ahead: 3 }, waitingAhead: 3 },
    then: blocked("rate", 3500),
  },
  {
    when: "its moment is hours away, it looks again sooner",
    admission: { rate: { intervalMs: 3_600_000, burst: 1 } },
    line: { dueInMs: 3_600_000 },
    then: blocked("rate", 15_000),
  },
];

describe("places", () => {
  test.each(PLACES)("$when", ({ admission, line, then }) => {
    expect(admit({ ...UNLIMITED, ...admission }, { ...QUIET, ...line })).toEqual(then);
  });
});

describe("the rate", () => {
  test.each(RATES)("$when", ({ admission, line, then }) => {
    expect(admit({ ...UNLIMITED, ...admission }, { ...QUIET, ...line })).toEqual(then);
  });
});

const FULL: Crowd = { inFlight: 1_000_000, ahead: 1_000_000 };
const CROWDED: Line = { provider: FULL, model: FULL, namespace: FULL, waitingAhead: 1000, dueInMs: 60_000 };
const EVERY_LIMIT: Admission = {
  inFlight: 0,
  modelInFlight: 0,
  namespaceInFlight: 0,
  rate: { intervalMs: 1000, burst: 1 },
};

test("the line may go unread only where nothing in it could keep a submit from going out", () => {
  const limits = Object.keys(EVERY_LIMIT) as readonly (keyof Admission)[];
  for (const limit of limits) {
    const admission = { ...UNLIMITED, [limit]: EVERY_LIMIT[limit] };
    expect([limit, isUnlimited(admission), admit(admission, CROWDED).verdict]).toEqual([limit, false, "blocked"]);
  }
  expect([isUnlimited(UNLIMITED), admit(UNLIMITED, CROWDED).verdict]).toEqual([true, "admitted"]);
});
