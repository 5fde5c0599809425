import { describe, expect, test } from "@jest/globals";
import { retryAfterMs } from "../../../operator/providers/retry-after.ts";

const NOW = new Date("2026-11-30T12:00:00Z");
const HALF_A_MINUTE_LATER = "Mon, 30 Nov 2026 12:00:30 GMT";

describe("the wait that an answer asks for", () => {
  test.each([
    { when: "nothing is said", headers: {}, body: null, ms: undefined },
    { when: "seconds are named", headers: { "retry-after": "7" }, body: null, ms: 7_000 },
    { when: "parts of a second are named", headers: { "retry-after": "0.25" }, body: null, ms: 250 },
    { when: "it is zero", headers: { "retry-after": "0" }, body: null, ms: 0 },
    { when: "a date is named", headers: { "retry-after": HALF_A_MINUTE_LATER }, body: null, ms: 30_000 },
    {
      when: "a date is named by a clock that is ahead of ours",
      headers: { "retry-after": HALF_A_MINUTE_LATER, date: "Mon, 30 Nov 2026 12:00:20 GMT" },
      body: null,
      ms: 10_000,
    },
    { when: "the date has passed", headers: { "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, body: null, ms: 0 },
    { when: "it is more than is ever believed", headers: { "retry-after": "86400" }, body: null, ms: 86_400_000 },
    { when: "the header is no number and no date", headers: { "retry-after": "soon" }, body: null, ms: undefined },
    { when: "the number is negative", headers: { "retry-after": "-1" }, body: null, ms: undefined },
    { when: "the body names seconds", headers: {}, body: { retry_after: 8 }, ms: 8_000 },
    { when: "the body names seconds as text", headers: {}, body: { retry_after: "8" }, ms: 8_000 },
    { when: "the body's error names seconds", headers: {}, body: { error: { retry_after: 1.5 } }, ms: 1_500 },
    { when: "header and body disagree", headers: { "retry-after": "2" }, body: { retry_after: 8 }, ms: 2_000 },
    { when: "the body is text", headers: {}, body: "retry_after: 8", ms: undefined },
    { when: "there are blanks around the number", headers: { "retry-after": " 7 " }, body: null, ms: 7_000 },
    { when: "the number is no decimal one", headers: { "retry-after": "1e3" }, body: null, ms: undefined },
    { when: "the number has a unit", headers: { "retry-after": "7s" }, body: null, ms: undefined },
    {
      when: "the number has a dot and no digits after it",
      headers: { "retry-after": "7." },
      body: null,
      ms: undefined,
    },
    {
      when: "the number has more digits than anybody means",
      headers: { "retry-after": "12345678901" },
      body: null,
      ms: undefined,
    },
    { when: "a year could be meant", headers: { "retry-after": "2027-01-01" }, body: null, ms: undefined },
    { when: "it is true", headers: {}, body: { retry_after: true }, ms: undefined },
    { when: "it falls between milliseconds", headers: { "retry-after": "0.0001" }, body: null, ms: 1 },
    {
      when: "the answer's own date is unreadable",
      headers: { "retry-after": HALF_A_MINUTE_LATER, date: "today" },
      body: null,
      ms: 30_000,
    },
    {
      when: "body and its error disagree",
      headers: {},
      body: { retry_after: 8, error: { retry_after: 2 } },
      ms: 8_000,
    },
  ])("is $ms ms when $when", ({ headers, body, ms }) => {
    expect(retryAfterMs({ headers, body }, NOW)).toBe(ms);
  });
});
