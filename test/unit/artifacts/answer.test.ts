import { describe, expect, test } from "@jest/globals";
import { judgeAnswer } from "../../../operator/artifacts/answer.ts";

const LATER = "Mon, 30 Nov 2026 12:00:30 GMT";
const interrupted = (code: string, retryAfterMs?: number) => ({ outcome: "interrupted", code, retryAfterMs });

describe("the head of an answer", () => {
  test.each([
    { when: "403", status: 403, headers: {}, then: { outcome: "expired" } },
    { when: "404", status: 404, headers: {}, then: { outcome: "expired" } },
    { when: "410", status: 410, headers: {}, then: { outcome: "expired" } },
    { when: "401", status: 401, headers: {}, then: interrupted("status-401") },
    { when: "429 with seconds", status: 429, headers: { "retry-after": "7" }, then: interrupted("status-429", 7_000) },
    {
      when: "503 with a date",
      status: 503,
      headers: { "retry-after": LATER, date: "Mon, 30 Nov 2026 12:00:00 GMT" },
      then: interrupted("status-503", 30_000),
    },
    {
      when: "a date, and no word of what time it is there",
      status: 503,
      headers: { "retry-after": LATER },
      then: interrupted("status-503"),
    },
    { when: "429 with nonsense", status: 429, headers: { "retry-after": "soon" }, then: interrupted("status-429") },
    { when: "a redirect that leads nowhere", status: 302, headers: {}, then: interrupted("status-302") },
    { when: "a part that was not asked for", status: 206, headers: {}, then: interrupted("status-206") },
    { when: "nothing", status: 204, headers: {}, then: interrupted("status-204") },
    {
      when: "a length",
      status: 200,
      headers: { "content-length": "12" },
      then: { outcome: "open", framing: { by: "length", bytes: 12 } },
    },
    {
      when: "chunks, whatever length is told besides",
      status: 200,
      headers: { "content-length": "12", "transfer-encoding": "chunked" },
      then: { outcome: "open", framing: { by: "chunks" } },
    },
    { when: "neither", status: 200, headers: {}, then: { outcome: "open", framing: { by: "close" } } },
  ])("$when", ({ status, headers, then }) => {
    expect(judgeAnswer({ status, headers })).toEqual(then);
  });
});
