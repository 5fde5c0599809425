import { describe, expect, test } from "@jest/globals";
import { compileProvider } from "../../../operator/providers/compile.ts";
import { readUsagePage, type UsagePage } from "../../../operator/providers/usage.ts";
import type { WireEnding } from "../../../operator/providers/wire.ts";
import { NOW } from "./account.ts";
import { HTTP, SPEC } from "./spec.ts";

const USAGE = {
  path: '"/usage?from=" + string(usage.from)',
  items: "response.body.items",
  jobID: "item.job",
  amount: "item.amount",
  billedAt: "item.at",
  ref: 'has(item.ref) ? item.ref : ""',
  next: 'has(response.body.next) ? response.body.next : ""',
};
const AT = "2026-06-01T12:00:00.250Z";
const ITEM = { job: "job-1", amount: "0.05", at: AT };
const LINE = { jobId: "job-1", amount: 50_000n, billedAt: new Date(AT), ref: undefined };

function page(body: unknown, changes: Readonly<Record<string, string>> = {}, status = 200): UsagePage {
  const compiled = compileProvider({ ...SPEC, http: { ...HTTP, usage: { ...USAGE, ...changes } } }, "acme");
  if (!compiled.ok || !compiled.adapter.usage) throw new Error(JSON.stringify(compiled));
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const ending: WireEnding = { ending: "answered", status, headers: {}, bytes, flaw: undefined };
  return readUsagePage(compiled.adapter.usage, ending, { usage: { from: NOW, to: NOW } }, NOW);
}

describe("a page of a bill", () => {
  test.each([
    { what: "with our own id", item: { ...ITEM, ref: "our-id" }, line: { ...LINE, ref: "our-id" } },
    { what: "with an amount as a number", item: { ...ITEM, amount: 0.05 }, line: LINE },
    { what: "for nothing", item: { ...ITEM, amount: "0" }, line: { ...LINE, amount: 0n } },
    { what: "of a job whose id is a number", item: { ...ITEM, job: 12 }, line: { ...LINE, jobId: "12" } },
    { what: "with a time of another zone", item: { ...ITEM, at: "2026-06-01T14:00:00.25+02:00" }, line: LINE },
    { what: "with a day", item: { ...ITEM, at: "2026-06-01" }, line: { ...LINE, billedAt: new Date("2026-06-01") } },
  ])("has a line $what", ({ item, line }) => {
    expect(page({ items: [item] })).toEqual({ outcome: "page", lines: [line], next: undefined });
  });

  test("has times that the expression makes", () => {
    expect(page({ items: [ITEM] }, { billedAt: "timestamp(item.at)" })).toMatchObject({ lines: [LINE] });
  });

  test("names the one after it", () => {
    expect(page({ items: [], next: "/usage?cursor=2" })).toEqual({
      outcome: "page",
      lines: [],
      next: "/usage?cursor=2",
    });
  });

  test.each([
    { what: "no job", item: { ...ITEM, job: "" } },
    { what: "no amount", item: { job: "job-1", at: AT } },
    { what: "an amount below nothing", item: { ...ITEM, amount: "-0.05" } },
    { what: "an amount of seven places", item: { ...ITEM, amount: "0.0000001" } },
    { what: "no time", item: { ...ITEM, at: "soon" } },
    { what: "a time without its zone", item: { ...ITEM, at: "2026-06-01T12:00:00" } },
    { what: "nothing", item: null },
  ])("with a line that has $what is not read at all", ({ item }) => {
    expect(page({ items: [ITEM, item] })).toMatchObject({ outcome: "unanswered", code: "unreadable-items" });
  });

  test.each([
    { what: "a list that is none", body: { items: "many" }, code: "unreadable-items" },
    {
      what: "more than a thousand lines",
      body: { items: Array.from({ length: 1001 }, () => ITEM) },
      code: "too-many-items",
    },
    { what: "a next page that is none", body: { items: [], next: 7 }, code: "unreadable-items" },
    { what: "no JSON", body: "<html>", code: "unreadable-answer" },
  ])("with $what is not read", ({ body, code }) => {
    expect(page(body)).toMatchObject({ outcome: "unanswered", code });
  });

  test("that is refused says so", () => {
    expect(page({ items: [ITEM] }, {}, 403)).toMatchObject({ outcome: "unanswered", code: "status-403" });
  });
});
