// Query, search and cancel against the simulated provider, and every fault that it knows for them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import { CancelFault, ListFault, QueryFault } from "../../provider/schema/faultNames.ts";
import { acceptedAttempt, sentAttempt } from "../../unit/providers/spec.ts";
import { startSimulated, wish, type Simulated } from "./simulated.ts";

let simulated: Simulated;
beforeAll(async () => {
  simulated = await startSimulated();
});
afterAll(() => simulated.remove());
beforeEach(() => simulated.provider.admin.reset());

const never = new AbortController().signal;
const RUNNING = { queueMs: 0, durationMs: 3_600_000 };
const DONE = { queueMs: 0, durationMs: 0 };

const unanswered = (code: string, retryAfterMs?: number): unknown => ({ outcome: "unanswered", code, retryAfterMs });

async function accepted(simulate: Readonly<Record<string, unknown>>): Promise<AttemptIn<"accepted">> {
  const outcome = await simulated.client.submit(wish(simulate).request, never);
  if (outcome.outcome !== "accepted") throw new Error(`the submit ended as ${outcome.outcome}`);
  return acceptedAttempt(outcome.jobId);
}

describe("a query", () => {
  const job = (state: string): unknown => expect.objectContaining({ outcome: "job", state });
  const OUTCOMES: Readonly<Record<QueryFault, unknown>> = {
    none: job("running"),
    "rate-limited": unanswered("status-429", 1_000),
    "server-error": unanswered("status-500"),
    "html-502": unanswered("status-502"),
    empty: unanswered("unreadable-answer"),
    truncated: unanswered("truncated"),
    reset: unanswered("reset"),
    silence: unanswered("deadline"),
    "not-found-transient": { outcome: "missing", documented: false },
    unauthorised: unanswered("status-401"),
    "unknown-status": job("unrecognised"),
    "odd-case": job("unrecognised"),
    "american-cancelled": job("running"),
    "done-without-output": expect.objectContaining({ outcome: "job", state: "succeeded", outputs: [] }),
    "outputs-late": job("running"),
    "progress-back": job("running"),
    "stuck-running": job("running"),
  };

  test.each(QueryFault.options)("that meets %s says what is known, and the next one is well again", async (fault) => {
    const attempt = await accepted({ ...RUNNING, query: [fault] });
    expect(await simulated.client.query(attempt, never)).toEqual(OUTCOMES[fault]);
    expect(await simulated.client.query(attempt, never)).toMatchObject({ outcome: "job", state: "running" });
  });

  test("tells of outputs and cost when the job is done", async () => {
    const attempt = await accepted({ ...DONE, outputs: [{ kind: "image", name: "a.png" }], bill: { amount: "0.25" } });
    expect(await simulated.client.query(attempt, never)).toEqual({
      outcome: "job",
      state: "succeeded",
      progress: 100,
      outputs: [
        {
          url: expect.stringMatching(`^${simulated.provider.url}/v1/outputs/`),
          name: "a.png",
          mediaType: "image/png",
          bytes: expect.any(Number),
        },
      ],
      cost: 250_000n,
      failure: undefined,
    });
  });

  test.each([
    {
      end: "failed",
      shown: "billed",
      then: { state: "failed", cost: 0n, failure: expect.stringMatching(/^[A-Za-z0-9]+$/) },
    },
    { end: "moderated", shown: "billed", then: { state: "failed", failure: expect.stringMatching(/^[A-Za-z0-9]+$/) } },
    { end: "done-without-output", shown: "billed", then: { state: "succeeded", outputs: [] } },
    { end: "done", shown: "missing", then: { state: "succeeded", cost: undefined } },
    { end: "done", shown: "malformed", then: { state: "succeeded", cost: undefined } },
  ])("of a job that is $end, with its bill $shown, is read", async ({ end, shown, then }) => {
    const attempt = await accepted({ ...DONE, end, bill: { shown } });
    expect(await simulated.client.query(attempt, never)).toMatchObject({ outcome: "job", ...then });
  });

  test("of a job that the provider lost says that it is missing", async () => {
    const attempt = await accepted({ ...DONE, end: "lost" });
    expect(await simulated.client.query(attempt, never)).toMatchObject({ outcome: "missing" });
  });

  test("of an id that would lead elsewhere asks for that id alone", async () => {
    expect(await simulated.client.query(acceptedAttempt("../outputs?x=1#y"), never)).toMatchObject({
      outcome: "missing",
    });
    const { requests } = await simulated.provider.admin.record({ operation: "query" });
    expect(requests.map(({ path }) => path)).toEqual(["/v1/jobs/..%2Foutputs%3Fx%3D1%23y"]);
  });

  test("reuses its connection", async () => {
    const attempt = await accepted(RUNNING);
    for (let nth = 0; nth < 5; nth++) await simulated.client.query(attempt, never);
    const { requests } = await simulated.provider.admin.record({ operation: "query" });
    expect(new Set(requests.map(({ port }) => port)).size).toBe(1);
  });
});

describe("a look-up", () => {
  const OUTCOMES: Readonly<Record<ListFault, unknown>> = {
    none: expect.objectContaining({ outcome: "found" }),
    "rate-limited": unanswered("status-429", 1_000),
    "server-error": unanswered("status-500"),
    "html-502": unanswered("status-502"),
    empty: unanswered("unreadable-answer"),
    truncated: unanswered("truncated"),
    reset: unanswered("reset"),
    silence: unanswered("deadline"),
    "not-found": unanswered("status-404"),
    "no-items": { outcome: "missed" },
  };

  test.each(ListFault.options)("that meets %s claims no absence that the provider did not", async (fault) => {
    const { request } = wish({ ...RUNNING, list: { faults: [fault] } });
    await simulated.client.submit(request, never);
    const attempt = sentAttempt({ id: request.attemptId });
    expect(await simulated.client.search("look-up", attempt, never)).toEqual(OUTCOMES[fault]);
    expect(await simulated.client.search("look-up", attempt, never)).toMatchObject({ outcome: "found" });
  });

  test("that the provider does not offer proves nothing", async () => {
    await simulated.provider.admin.config({ lookUp: "disabled", list: "disabled" });
    const attempt = sentAttempt({ sentAt: new Date() });
    expect(await simulated.client.search("look-up", attempt, never)).toEqual(unanswered("status-404"));
    expect(await simulated.client.search("list", attempt, never)).toEqual(unanswered("status-404"));
  });

  test("sees two jobs where the provider made two under one id", async () => {
    const { request } = wish(RUNNING);
    await simulated.client.submit(request, never);
    await simulated.client.submit(request, never);
    const attempt = sentAttempt({ id: request.attemptId, sentAt: new Date() });
    expect(await simulated.client.search("look-up", attempt, never)).toEqual({ outcome: "several", count: 2 });
    expect(await simulated.client.search("list", attempt, never)).toEqual({ outcome: "several", count: 2 });
  });
});

describe("a cancel", () => {
  const OUTCOMES: Readonly<Record<CancelFault, unknown>> = {
    none: { outcome: "asked" },
    ignored: { outcome: "asked" },
    late: { outcome: "asked" },
    "server-error": unanswered("status-500"),
    "already-completed": { outcome: "too-late" },
    reset: unanswered("reset"),
    silence: unanswered("deadline"),
  };

  test.each(CancelFault.options)("that meets %s is a request, and not a fact", async (fault) => {
    const attempt = await accepted({ ...RUNNING, cancel: [fault] });
    expect(await simulated.client.cancel(attempt, never)).toEqual(OUTCOMES[fault]);
  });

  test("is confirmed by a later query alone", async () => {
    await simulated.provider.admin.config({ cancelDelayMs: 0 });
    const attempt = await accepted(RUNNING);
    expect(await simulated.client.cancel(attempt, never)).toEqual({ outcome: "asked" });
    expect(await simulated.client.query(attempt, never)).toMatchObject({ outcome: "job", state: "cancelled" });
  });

  test("of a job that is over comes too late", async () => {
    const attempt = await accepted(DONE);
    expect(await simulated.client.cancel(attempt, never)).toEqual({ outcome: "too-late" });
  });
});
