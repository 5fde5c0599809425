// One page of a list, read: which entries are ours, which page is next, and what is no list.
import { describe, expect, test } from "@jest/globals";
import type { Adapter } from "../../../operator/providers/adapter.ts";
import type { Variables } from "../../../operator/providers/expression.ts";
import { among, readLookUp, readPage } from "../../../operator/providers/search.ts";
import type { Page } from "../../../operator/providers/search.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import type { SearchOutcome } from "../../../operator/task/outcome.ts";
import { NOW } from "./account.ts";
import { NOTHING, answer, bodyOf, byHand, failing } from "./by-hand.ts";
import { ATTEMPT_ID } from "./spec.ts";

type List = NonNullable<Adapter["list"]>;

const sought = { attemptId: ATTEMPT_ID, variables: {} };
const item = (seen: Variables): Readonly<Record<string, unknown>> => seen.item as Readonly<Record<string, unknown>>;
const OURS = { id: "job-1", ref: ATTEMPT_ID };
const OTHER = { id: "job-2", ref: "other" };

function page(items: unknown, list: Partial<List> = {}, status = 200): Page {
  const all: List = {
    ...{ path: NOTHING, items: byHand((seen) => bodyOf(seen).items), jobID: byHand((seen) => item(seen).id) },
    ...{ ref: byHand((seen) => item(seen).ref), match: undefined, next: undefined, maxPages: 1 },
    ...list,
  };
  return readPage(all, answer(status, { items }), sought, NOW);
}

const ids = (...jobs: string[]): Page => ({ outcome: "page", ids: jobs as ProviderJobId[], next: undefined });
const unreadable = { outcome: "unanswered", code: "unreadable-items", retryAfterMs: undefined };

describe("the page after this one", () => {
  test.each([
    { when: "the list has no such thing", next: undefined, is: undefined },
    { when: "it is told", next: byHand(() => "/jobs?page=2"), is: "/jobs?page=2" },
    { when: "it is null", next: byHand(() => null), is: undefined },
    { when: "it is empty", next: byHand(() => ""), is: undefined },
    { when: "the answer has no such key", next: failing("no_such_key"), is: undefined },
  ])("is $is when $when", ({ is, next }) => {
    expect(page([OURS], { next })).toEqual({ outcome: "page", ids: ["job-1"], next: is });
  });
  test.each([
    { what: "is a number", next: byHand(() => 2) },
    { what: "is nothing", next: byHand(() => undefined) },
    { what: "is read from something else", next: failing("no_such_overload") },
    { what: "can't be evaluated", next: byHand(() => JSON.parse("{")) },
  ])("that $what makes the whole list one that can't be read", ({ next }) => {
    expect(page([OURS], { next })).toEqual(unreadable);
  });
});

describe("an entry is ours", () => {
  const likely = byHand((seen) => item(seen).likely);

  test("by its reference, among others'", () => {
    expect(page([OTHER, OURS])).toEqual(ids("job-1"));
    expect(page([OTHER])).toEqual(ids());
  });
  test("by its likeness where it shows no reference", () => {
    const items = [
      { id: "a", likely: true },
      { id: "b", likely: false },
      { id: "c", ref: "", likely: true },
    ];
    expect(page(items, { match: likely })).toEqual(ids("a", "c"));
  });
  test("never by its likeness where it shows another's reference", () => {
    expect(page([{ ...OTHER, likely: true }], { match: likely })).toEqual(ids());
  });
  test("by its likeness alone where the list has no references", () => {
    expect(page([{ id: "a", likely: true }], { match: likely, ref: undefined })).toEqual(ids("a"));
  });
  test("not by a likeness that is neither yes nor no", () => {
    expect(page([{ id: "a", likely: "yes" }], { match: likely })).toEqual(unreadable);
    expect(page([{ id: "a", likely: "yes" }, OTHER], { match: likely })).toEqual(ids());
  });
  test("by an empty reference never, and that can be read where nothing else is", () => {
    expect(page([{ id: "a", ref: "" }])).toEqual(ids());
  });
});

describe("a list", () => {
  test("is not one where an entry of ours has no id", () => {
    expect(page([OURS, { ref: ATTEMPT_ID }])).toEqual(unreadable);
    expect(page([OURS], { jobID: failing("no_such_key") })).toEqual(unreadable);
  });
  test("is not one where it can't be read, or is something else", () => {
    expect(page([], { items: failing("no_such_key") })).toEqual(unreadable);
    expect(page({})).toEqual(unreadable);
  });
  test("has at most a thousand entries", () => {
    expect(page(Array.from({ length: 1000 }, () => OTHER))).toEqual(ids());
    expect(page(Array.from({ length: 1001 }, () => OTHER))).toMatchObject({ code: "too-many-items" });
  });
  test("may be empty", () => {
    expect(page([])).toEqual(ids());
  });
  test("is none with a status that is no success", () => {
    expect(page([OURS], {}, 300)).toMatchObject({ outcome: "unanswered", code: "status-300" });
  });
});

describe("a look-up", () => {
  const found = (value: unknown, status = 200): SearchOutcome =>
    readLookUp({ path: NOTHING, jobID: byHand(() => value) }, answer(status, {}), sought, NOW);
  const failed = (code: string, status = 200): SearchOutcome =>
    readLookUp({ path: NOTHING, jobID: failing(code) }, answer(status, {}), sought, NOW);

  test.each([
    { value: null, is: { outcome: "missed" } },
    { value: "", is: { outcome: "missed" } },
    { value: [], is: { outcome: "missed" } },
    { value: "job-1", is: { outcome: "found", jobId: "job-1" } },
    { value: 7n, is: { outcome: "found", jobId: "7" } },
    { value: ["job-1", "job-1"], is: { outcome: "found", jobId: "job-1" } },
    { value: ["job-1", "job-2", "job-3"], is: { outcome: "several", count: 3 } },
  ])("of $value is $is", ({ is, value }) => {
    expect(found(value)).toEqual(is);
  });
  test.each([["job-1", null], undefined, true, "a b"])("of %j tells nothing", (value) => {
    expect(found(value)).toMatchObject({ outcome: "unanswered", code: "unreadable-answer" });
  });
  test("of the first of an empty list is a miss, and only where the answer is a success", () => {
    expect(failed("index_out_of_bounds")).toEqual({ outcome: "missed" });
    expect(failed("index_out_of_bounds", 404)).toMatchObject({ code: "status-404" });
    expect(failed("no_such_key")).toMatchObject({ code: "unreadable-answer" });
  });
  test("with a 404 or a 410 may be a miss, and never names a job", () => {
    expect([found("", 404), found(null, 410)]).toEqual([{ outcome: "missed" }, { outcome: "missed" }]);
    expect(found("job-1", 404)).toMatchObject({ outcome: "unanswered", code: "status-404" });
    expect(found("", 400)).toMatchObject({ outcome: "unanswered", code: "status-400" });
  });
});

test.each([
  { jobs: [], is: { outcome: "missed" } },
  { jobs: ["a"], is: { outcome: "found", jobId: "a" } },
  { jobs: ["a", "a"], is: { outcome: "found", jobId: "a" } },
  { jobs: ["a", "b"], is: { outcome: "several", count: 2 } },
])("all that could be ours, $jobs, is $is", ({ is, jobs }) => {
  expect(among(jobs as ProviderJobId[])).toEqual(is);
});
