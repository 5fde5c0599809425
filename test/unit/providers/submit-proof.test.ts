// What an ending of a submit proves, whichever provider it is of: the arithmetic of evidence, without a socket.
import { describe, expect, test } from "@jest/globals";
import type { Adapter } from "../../../operator/providers/adapter.ts";
import { judgeSubmit } from "../../../operator/providers/submit.ts";
import type { WireEnding } from "../../../operator/providers/wire.ts";
import type { SubmitOutcome } from "../../../operator/task/outcome.ts";
import { NOW } from "./account.ts";
import { NOTHING, answer, bodyOf, byHand } from "./by-hand.ts";
import type { Read } from "./by-hand.ts";

const QUERY = {
  ...{ path: NOTHING, state: NOTHING, progress: NOTHING, outputs: NOTHING },
  ...{ cost: NOTHING, failure: NOTHING, ref: NOTHING },
};

interface Words {
  readonly jobID?: Read;
  readonly rejected?: Read;
  readonly reused?: Read;
}

function adapter({ jobID = (seen) => bodyOf(seen).id, rejected, reused }: Words): Adapter {
  const submit: Adapter["submit"] = {
    method: "POST",
    ...{ path: NOTHING, body: NOTHING, jobID: byHand(jobID) },
    rejected: rejected && byHand(rejected),
    reused: reused && byHand(reused),
  };
  return {
    submit,
    query: QUERY,
    lookUp: undefined,
    list: undefined,
    usage: undefined,
    cancel: undefined,
    webhook: undefined,
  };
}

const judge = (ending: WireEnding, words: Words = {}): SubmitOutcome => judgeSubmit(adapter(words), ending, {}, NOW);
const ambiguous = (code: string): SubmitOutcome => ({ outcome: "ambiguous", code });
const throwing: Read = () => {
  throw new Error("no such key");
};

describe("without an answer", () => {
  test("a call that never left proves that nothing was created", () => {
    expect(judge({ ending: "not-sent", code: "refused" })).toEqual({ outcome: "not-sent", code: "refused" });
  });
  test("a call that was lost proves nothing", () => {
    expect(judge({ ending: "lost", code: "reset" })).toEqual(ambiguous("reset"));
  });
});

describe("by its status alone", () => {
  const REFUSED = [400, 404, 405, 410, 411, 413, 414, 415, 422, 431, 451];
  const LOCKED_OUT = [401, 402, 403];
  const proof = (status: number): SubmitOutcome => {
    const code = `status-${status}`;
    if (status === 429) return { outcome: "throttled", code, retryAfterMs: undefined };
    if (REFUSED.includes(status)) return { outcome: "refused", code, content: false };
    return LOCKED_OUT.includes(status) ? { outcome: "locked-out", code } : ambiguous(code);
  };

  test("an answer is a refusal where the status says so, and else proves nothing, with a job id in it or not", () => {
    for (let status = 100; status <= 599; status += 1) {
      if (status >= 200 && status <= 299) continue;
      expect([status, judge(answer(status, { id: "job-1" }))]).toEqual([status, proof(status)]);
    }
  });
  test("a success is a job where it names one", () => {
    for (let status = 200; status <= 299; status += 1) {
      expect(judge(answer(status, { id: "job-1" }))).toEqual({ outcome: "accepted", jobId: "job-1" });
    }
  });
  test("a throttle waits as long as it is told", () => {
    const slow = answer(429, "", { headers: { "retry-after": "7" } });
    expect(judge(slow)).toMatchObject({ outcome: "throttled", retryAfterMs: 7000 });
  });
});

describe("a success that names no job proves nothing", () => {
  test.each([
    { when: "it broke off", ending: answer(200, "", { bytes: undefined, flaw: "truncated" }), code: "truncated" },
    { when: "it is empty", ending: answer(200, ""), code: "empty-answer" },
    { when: "it is no JSON", ending: answer(200, "<html>"), code: "unreadable-answer" },
    { when: "its body did not come", ending: answer(200, "", { bytes: undefined }), code: "unreadable-answer" },
    { when: "there is no id in it", ending: answer(200, {}), code: "no-job-id" },
    { when: "the id is none", ending: answer(200, { id: "a b" }), code: "no-job-id" },
  ])("when $when", ({ code, ending }) => {
    expect(judge(ending)).toEqual(ambiguous(code));
  });
  test("when its expression asks for what is not there", () => {
    expect(judge(answer(200, {}), { jobID: throwing })).toEqual(ambiguous("no-job-id"));
  });
});

describe("a refusal is about the content", () => {
  const CODES = [
    ...["content_policy", "content_policy_violation", "content_moderated", "content_filter", "content_filtered"],
    ...["moderation_blocked", "moderated", "nsfw", "sensitive_content"],
  ];
  test.each(CODES)("when its code is %s", (code) => {
    expect(judge(answer(400, { error: { code } }))).toMatchObject({ outcome: "refused", content: true });
  });
  test.each([
    { error: "nsfw" },
    { error: { code: "nsfw" } },
    { error: { type: "nsfw" } },
    { code: "nsfw" },
    { error_type: "nsfw" },
    { detail: [{ type: "missing" }, { type: "nsfw" }] },
    { detail: [...Array.from({ length: 15 }, () => ({})), { type: "nsfw" }] },
  ])("when it says so as %j, also with a 403", (content) => {
    expect(judge(answer(422, content))).toEqual({ outcome: "refused", code: "status-422", content: true });
    expect(judge(answer(403, content))).toEqual({ outcome: "refused", code: "status-403", content: true });
  });
  test.each([
    ...[{}, { error: "no" }, { message: "nsfw" }, { error: { message: "nsfw" } }, { detail: "nsfw" }, "nsfw", null],
    { detail: [...Array.from({ length: 16 }, () => ({})), { type: "nsfw" }] },
  ])("and is not when it says %j", (content) => {
    expect(judge(answer(422, content))).toEqual({ outcome: "refused", code: "status-422", content: false });
    expect(judge(answer(403, content))).toEqual({ outcome: "locked-out", code: "status-403" });
  });
  test("but a lock-out or a fault stays one", () => {
    expect(judge(answer(401, { code: "nsfw" }))).toEqual({ outcome: "locked-out", code: "status-401" });
    expect(judge(answer(500, { code: "nsfw" }))).toEqual(ambiguous("status-500"));
  });
});

/** Statuses in which the provider's own words count: where a job can't have been made although the status says otherwise. */
const SPEAKING = [200, 299, 400, 407, 409, 499];
const MUTE = [100, 199, 300, 399, 408, 500, 503, 599];

describe("a documented refusal", () => {
  const documented = (status: number, word: unknown): SubmitOutcome =>
    judge(answer(status, { id: "job-1", code: "nsfw" }), { rejected: () => word });

  test.each([
    { word: true, then: { outcome: "refused", code: "status-409", content: true } },
    { word: "Refused", then: { outcome: "refused", code: "status-409", content: true } },
    { word: "Content", then: { outcome: "refused", code: "status-409", content: true } },
    { word: "Throttled", then: { outcome: "throttled", code: "status-409", retryAfterMs: undefined } },
    { word: "LockedOut", then: { outcome: "locked-out", code: "status-409" } },
    ...[false, "", "refused", undefined, 1].map((word) => ({ word, then: ambiguous("status-409") })),
  ])("in the word $word is $then.outcome", ({ then, word }) => {
    expect(documented(409, word)).toEqual(then);
  });
  test("is about the content only where that is said", () => {
    const plain = (word: string): SubmitOutcome => judge(answer(400, { code: "odd" }), { rejected: () => word });
    expect(plain("Refused")).toMatchObject({ outcome: "refused", content: false });
    expect(plain("Content")).toMatchObject({ outcome: "refused", content: true });
  });
  test("in a success has a code of its own, and the wait that is asked for", () => {
    expect(documented(200, "LockedOut")).toEqual({ outcome: "locked-out", code: "documented-refusal" });
    const slow = answer(200, { retry_after: 8 });
    expect(judge(slow, { rejected: () => "Throttled" })).toMatchObject({ outcome: "throttled", retryAfterMs: 8000 });
  });
  test("that can't be read is none", () => {
    expect(judge(answer(200, { id: "job-1" }), { rejected: throwing })).toMatchObject({ outcome: "accepted" });
  });
  test.each(SPEAKING)("counts with a %d", (status) => {
    expect(documented(status, "LockedOut")).toMatchObject({ outcome: "locked-out" });
  });
  test.each(MUTE)("never counts with a %d, which may have made a job", (status) => {
    expect(documented(status, "LockedOut")).toEqual(ambiguous(`status-${status}`));
  });
});

describe("a key that was used", () => {
  const used = (status: number, word: unknown): SubmitOutcome =>
    judge(answer(status, { id: "job-1" }), { reused: () => word, rejected: () => "Refused" });

  test.each([
    { word: true, jobId: undefined },
    { word: "job-7", jobId: "job-7" },
    { word: 42n, jobId: "42" },
  ])("is one of a job that exists, whatever else is said: $word", ({ jobId, word }) => {
    for (const status of SPEAKING) expect(used(status, word)).toEqual({ outcome: "reused", jobId });
  });
  test.each([false, "", "a b", null, undefined])("is not one where the word is %p", (word) => {
    expect(used(409, word)).toMatchObject({ outcome: "refused" });
  });
  test.each(MUTE)("is not believed with a %d", (status) => {
    expect(used(status, true)).toEqual(ambiguous(`status-${status}`));
  });
  test("is not one where the expression asks for what is not there", () => {
    expect(judge(answer(409, {}), { reused: throwing })).toEqual(ambiguous("status-409"));
  });
});
