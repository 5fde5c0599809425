// What a provider may do after it was sent a submit, and what that is taken to prove.
import type { Socket } from "node:net";
import type { SubmitOutcome } from "../../../operator/task/outcome.ts";
import { answer } from "../outbound/raw-server.ts";
import { NOW } from "./account.ts";

export const json = (status: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string =>
  answer(status, JSON.stringify(body), { "content-type": "application/json", ...headers });

export const saying =
  (text: string) =>
  (socket: Socket): void => {
    socket.write(text);
  };
const thenClosing =
  (text: string) =>
  (socket: Socket): void => {
    socket.end(text);
  };
/** Writes, and resets when that has left. */
const thenReset =
  (text: string) =>
  (socket: Socket): void => {
    socket.write(text, () => setImmediate(() => socket.resetAndDestroy()));
  };

export interface Case {
  readonly when: string;
  readonly onRequest: (socket: Socket) => void;
  readonly then: SubmitOutcome;
  readonly submitMs?: number;
}

export const ambiguous = (code: string): SubmitOutcome => ({ outcome: "ambiguous", code });
export const refused = (code: string, content = false): SubmitOutcome => ({ outcome: "refused", code, content });
const throttled = (retryAfterMs: number | undefined): SubmitOutcome => ({
  outcome: "throttled",
  code: "status-429",
  retryAfterMs,
});

export const CASES: readonly Case[] = [
  { when: "a job id comes back", onRequest: saying(json("201 Created", { id: "job-1" })), then: accepted("job-1") },
  { when: "the job id is a number", onRequest: saying(json("200 OK", { id: 42 })), then: accepted("42") },
  {
    when: "the job id is a number that a double cannot hold",
    onRequest: saying(answer("200 OK", '{"id":9223372036854775807}')),
    then: accepted("9223372036854775807"),
  },
  {
    when: "the answer comes in pieces and without a length",
    onRequest: thenClosing('HTTP/1.1 201 Created\r\nconnection: close\r\n\r\n{"id":"job-1"}'),
    then: accepted("job-1"),
  },

  {
    when: "the connection is reset after the request",
    onRequest: (s) => s.resetAndDestroy(),
    then: ambiguous("reset"),
  },
  { when: "it is closed without an answer", onRequest: (s) => s.end(), then: ambiguous("closed") },
  {
    when: "nothing is answered in time",
    onRequest: () => undefined,
    then: ambiguous("headers-timeout"),
    submitMs: 150,
  },
  {
    when: "the headers do not come to an end",
    onRequest: saying("HTTP/1.1 201 Created\r\nx-slow: 1\r\n"),
    then: ambiguous("headers-timeout"),
    submitMs: 150,
  },
  {
    when: "the body does not come in time",
    onRequest: saying("HTTP/1.1 201 Created\r\ncontent-length: 14\r\n\r\n"),
    then: ambiguous("body-timeout"),
    submitMs: 150,
  },
  {
    when: "the body is cut short",
    onRequest: thenClosing('HTTP/1.1 201 Created\r\ncontent-length: 14\r\n\r\n{"id":'),
    then: ambiguous("truncated"),
  },
  {
    when: "the body is cut short, and its length was not said",
    onRequest: thenClosing('HTTP/1.1 201 Created\r\nconnection: close\r\n\r\n{"id":"jo'),
    then: ambiguous("unreadable-answer"),
  },
  {
    when: "the connection is reset within the body",
    onRequest: thenReset('HTTP/1.1 201 Created\r\ncontent-length: 14\r\n\r\n{"id":'),
    then: ambiguous("reset"),
  },
  { when: "the answer is no HTTP", onRequest: saying("\u0000\u0001 hello \u0002\r\n\r\n"), then: ambiguous("garbled") },
  {
    when: "the headers have no end in sight",
    onRequest: saying(`HTTP/1.1 201 Created\r\nx-long: ${"a".repeat(40_000)}\r\n\r\n`),
    then: ambiguous("answer-too-large"),
  },
  {
    when: "the body is longer than can be",
    onRequest: saying(answer("201 Created", `{"id":"job-1","pad":"${"a".repeat(1_100_000)}"}`)),
    then: ambiguous("answer-too-large"),
  },
  {
    when: "the body is compressed although nobody asked",
    onRequest: saying(answer("201 Created", "\u001f", { "content-encoding": "gzip" })),
    then: ambiguous("encoded-answer"),
  },
  { when: "a 2xx is empty", onRequest: saying(answer("201 Created", "")), then: ambiguous("empty-answer") },
  { when: "a 204 has no body", onRequest: saying("HTTP/1.1 204 No Content\r\n\r\n"), then: ambiguous("empty-answer") },
  {
    when: "a 2xx is a web page",
    onRequest: saying(answer("200 OK", "<html>Welcome</html>")),
    then: ambiguous("unreadable-answer"),
  },
  {
    when: "a 2xx has no job id",
    onRequest: saying(json("201 Created", { state: "queued" })),
    then: ambiguous("no-job-id"),
  },
  { when: "the job id is empty", onRequest: saying(json("201 Created", { id: "" })), then: ambiguous("no-job-id") },
  { when: "the job id is null", onRequest: saying(json("201 Created", { id: null })), then: ambiguous("no-job-id") },
  {
    when: "the job id could break a line",
    onRequest: saying(json("201 Created", { id: "a\r\nb" })),
    then: ambiguous("no-job-id"),
  },

  ...[300, 302, 304, 307, 308, 408, 409, 418, 423, 425, 500, 501, 502, 503, 504, 520, 599].map((status) => ({
    when: `the status is ${status}`,
    onRequest: saying(json(`${status} Whatever`, { error: "x" }, { location: "/v1/moved", "retry-after": "1" })),
    then: ambiguous(`status-${status}`),
  })),
  {
    when: "a 5xx even holds a job id",
    onRequest: saying(json("500 Oops", { id: "job-1" })),
    then: ambiguous("status-500"),
  },
  ...[400, 404, 405, 410, 413, 415, 422, 431, 451].map((status) => ({
    when: `the status is ${status}`,
    onRequest: saying(json(`${status} Whatever`, { error: { code: "invalid_input", message: "content_policy" } })),
    then: refused(`status-${status}`),
  })),
  {
    when: "a refusal breaks off in its body",
    onRequest: thenClosing('HTTP/1.1 422 No\r\ncontent-length: 100\r\n\r\n{"error"'),
    then: refused("status-422"),
  },
  ...[
    { error: { code: "content_policy" } },
    { error: { type: "content_policy_violation" } },
    { code: "moderation_blocked" },
    { detail: [{ type: "content_policy_violation" }] },
  ].map((body) => ({
    when: `the content is refused as ${JSON.stringify(body)}`,
    onRequest: saying(json("400 Bad Request", body)),
    then: refused("status-400", true),
  })),
  {
    when: "a 403 is about the content",
    onRequest: saying(json("403 Forbidden", { error: { code: "content_policy" } })),
    then: refused("status-403", true),
  },
  ...[401, 402, 403].map((status) => ({
    when: `the status is ${status}`,
    onRequest: saying(json(`${status} No`, { error: { code: "no" } })),
    then: { outcome: "locked-out" as const, code: `status-${status}` },
  })),

  { when: "a 429 says nothing more", onRequest: saying(answer("429 Slow", "")), then: throttled(undefined) },
  {
    when: "a 429 names seconds",
    onRequest: saying(answer("429 Slow", "", { "retry-after": "7" })),
    then: throttled(7_000),
  },
  {
    when: "a 429 names a date",
    onRequest: saying(answer("429 Slow", "", { "retry-after": new Date(NOW.getTime() + 30_000).toUTCString() })),
    then: throttled(30_000),
  },
  {
    when: "a 429 names seconds in its body",
    onRequest: saying(json("429 Slow", { error: { code: "rate_limited" }, retry_after: 8 })),
    then: throttled(8_000),
  },
];

export function accepted(jobId: string): SubmitOutcome {
  return { outcome: "accepted", jobId } as SubmitOutcome;
}
