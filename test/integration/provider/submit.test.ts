// Each submit fault: what the client saw, and what the provider knows to be true.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { SubmitFault } from "../../provider/schema/faultNames.ts";
import { bodyOf, shown } from "./calling.ts";
import { makeProvider, type Fixture } from "./fixture.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeProvider();
});
afterAll(() => fixture.remove());
beforeEach(() => fixture.provider.admin.reset());

interface Row {
  readonly fault: SubmitFault;
  readonly jobs: 0 | 1;
  readonly sees: unknown;
}

const refusal = (status: number, code: string): unknown => ({
  status,
  body: expect.objectContaining({ error: expect.objectContaining({ code }) as unknown }) as unknown,
});
const page = (status: number): unknown => ({ status, body: expect.stringContaining("<!doctype html>") as unknown });
const ACCEPTED = {
  status: 201,
  body: { id: expect.any(String), state: "queued", ref: "attempt-1", cost_estimate: "0.01" },
};

const ROWS: readonly Row[] = [
  { fault: "none", jobs: 1, sees: ACCEPTED },
  { fault: "slow-accept", jobs: 1, sees: ACCEPTED },
  { fault: "slow-headers", jobs: 1, sees: ACCEPTED },
  { fault: "rate-limited-header", jobs: 0, sees: refusal(429, "rate_limited") },
  { fault: "rate-limited-body", jobs: 0, sees: refusal(429, "rate_limited") },
  { fault: "over-limit", jobs: 0, sees: refusal(429, "too_many_concurrent") },
  { fault: "server-error-before", jobs: 0, sees: refusal(500, "internal") },
  { fault: "bad-gateway-before", jobs: 0, sees: page(502) },
  { fault: "unavailable-before", jobs: 0, sees: refusal(503, "unavailable") },
  { fault: "gateway-timeout-before", jobs: 0, sees: page(504) },
  { fault: "reset-before", jobs: 0, sees: "reset" },
  { fault: "close-before", jobs: 0, sees: "close" },
  { fault: "silence-before", jobs: 0, sees: "silence" },
  { fault: "invalid", jobs: 0, sees: refusal(422, "invalid_input") },
  { fault: "unauthorised", jobs: 0, sees: refusal(401, "unauthorised") },
  { fault: "no-credit", jobs: 0, sees: refusal(402, "insufficient_credit") },
  { fault: "moderated", jobs: 0, sees: refusal(400, "content_policy") },
  { fault: "conflict", jobs: 0, sees: refusal(409, "conflict") },
  { fault: "not-found", jobs: 0, sees: refusal(404, "not_found") },
  { fault: "redirect", jobs: 0, sees: { status: 307, body: "" } },
  { fault: "server-error-after", jobs: 1, sees: refusal(500, "internal") },
  { fault: "bad-gateway-after", jobs: 1, sees: page(502) },
  { fault: "unavailable-after", jobs: 1, sees: refusal(503, "unavailable") },
  { fault: "gateway-timeout-after", jobs: 1, sees: page(504) },
  { fault: "request-timeout-after", jobs: 1, sees: refusal(408, "request_timeout") },
  { fault: "reset-after", jobs: 1, sees: "reset" },
  { fault: "close-after", jobs: 1, sees: "close" },
  { fault: "silence-after", jobs: 1, sees: "silence" },
  { fault: "garbage-after", jobs: 1, sees: "no HTTP" },
  { fault: "html-after", jobs: 1, sees: page(200) },
  { fault: "truncated-after", jobs: 1, sees: { status: 201, body: "broken off" } },
  { fault: "empty-after", jobs: 1, sees: { status: 201, body: "" } },
  { fault: "no-id-after", jobs: 1, sees: { status: 201, body: { state: "queued" } } },
];

describe("a submit", () => {
  test("has a row here for every fault there is", () => {
    expect(ROWS.map(({ fault }) => fault)).toEqual(SubmitFault.options);
  });

  test.each(ROWS)("that meets $fault makes $jobs job(s), and the record says so", async ({ fault, jobs, sees }) => {
    const { caller, provider } = fixture;
    const patienceMs = fault.startsWith("silence") ? 300 : 10_000;
    const wish = { reference: "studio/a", ref: "attempt-1", simulate: { submit: [fault], lateMs: 100 }, patienceMs };
    expect(shown(await caller.submit(wish))).toEqual(sees);

    const answered = (event: { readonly type: string }): boolean => event.type === "submit.answered";
    await provider.admin.waitFor(answered, AbortSignal.timeout(5_000));
    const record = await provider.admin.record({ reference: "studio/a" });
    expect(record.jobs).toHaveLength(jobs);
    expect(record.requests).toMatchObject([
      { operation: "submit", fault, n: 1, ref: "attempt-1", credential: "valid" },
    ]);
    expect(record.requests[0]?.jobId).toBe(record.jobs[0]?.id ?? null);
  });

  test("meets the faults that it lists in turn, and none after them", async () => {
    const wish = { reference: "studio/a", simulate: { submit: ["unavailable-before", "reset-after"] } };
    const seen = [];
    for (let n = 1; n <= 4; n++) seen.push(shown(await fixture.caller.submit(wish)));

    expect(seen).toMatchObject([{ status: 503 }, "reset", { status: 201 }, { status: 201 }]);
    const { jobsAccepted, submitsReceived, referencesAcceptedTwice } = await fixture.provider.admin.summary();
    expect({ jobsAccepted, submitsReceived, referencesAcceptedTwice }).toEqual({
      jobsAccepted: 3,
      submitsReceived: 4,
      referencesAcceptedTwice: ["studio/a"],
    });
  });

  test("says in a header or in its body when to come again", async () => {
    const limited = async (fault: SubmitFault): Promise<unknown> => {
      const seen = await fixture.caller.submit({ reference: fault, simulate: { submit: [fault] } });
      return [
        seen.saw === "answer" && seen.headers["retry-after"],
        (bodyOf(seen, 429) as { retry_after?: number }).retry_after,
      ];
    };
    expect(await limited("rate-limited-header")).toEqual(["1", undefined]);
    expect(await limited("rate-limited-body")).toEqual([undefined, 1]);
  });

  test("that follows a redirect makes a job, and the record calls it by its name", async () => {
    const { caller, provider } = fixture;
    const body = { model: "acme-image-1", input: { reference: "studio/a" } };
    const headers = { authorization: "Bearer simulated", "content-type": "application/json" };
    const init = { method: "POST", body: JSON.stringify(body), headers };
    expect((await fetch(`${provider.url}/v1/moved/jobs`, init)).status).toBe(201);

    await caller.submit({ reference: "studio/b", simulate: { submit: ["redirect"] } });
    const { requests } = await provider.admin.record({ operation: "redirected-submit" });
    expect(requests).toMatchObject([{ reference: "studio/a", fault: "none" }]);
  });

  test.each([
    {
      when: "its simulate has an unknown word",
      body: { model: "m", input: { simulate: { submitt: [] } } },
      code: "invalid_simulate",
    },
    { when: "it names no model", body: { input: {} }, code: "invalid_request" },
    { when: "it is no JSON object", body: "text", code: "invalid_request" },
  ])("is refused with 422 when $when", async ({ body, code }) => {
    const headers = { authorization: "Bearer simulated", "content-type": "application/json" };
    const init = { method: "POST", body: JSON.stringify(body), headers };
    const answer = await fetch(`${fixture.provider.url}/v1/jobs`, init);
    expect([answer.status, await answer.json()]).toMatchObject([422, { error: { code } }]);
    expect((await fixture.provider.admin.summary()).jobsAccepted).toBe(0);
  });

  test("without a valid key is refused, counted as no submit, and never shows its key in the record", async () => {
    const headers = { authorization: "Bearer a-wrong-key", "content-type": "application/json" };
    const answer = await fetch(`${fixture.provider.url}/v1/jobs`, { method: "POST", body: "{}", headers });
    expect(answer.status).toBe(401);

    const record = await fixture.provider.admin.record();
    expect(record.requests).toMatchObject([{ operation: "submit", credential: "wrong", n: null, status: 401 }]);
    expect(JSON.stringify(record)).not.toContain("a-wrong-key");
  });
});

describe("a repeated idempotency key", () => {
  const again = { reference: "studio/a", key: "key-1" };

  test.each([
    { mode: "none", second: { status: 201 }, jobs: 2 },
    { mode: "replay", second: { status: 201 }, jobs: 1 },
    { mode: "reject-on-reuse", second: refusal(422, "idempotency_key_reuse"), jobs: 1 },
  ] as const)("makes $jobs job(s) in mode $mode", async ({ mode, second, jobs }) => {
    const { caller, provider } = fixture;
    await provider.admin.config({ idempotency: mode });
    const first = await caller.submit({ ...again, simulate: { submit: ["reset-after"] } });
    expect(first.saw).toBe("reset");

    expect(shown(await caller.submit({ ...again, simulate: { submit: ["reset-after"] } }))).toMatchObject(
      second as object,
    );
    expect((await provider.admin.summary()).jobsAccepted).toBe(jobs);
  });

  test("with another body is refused even where it is replayed", async () => {
    await fixture.provider.admin.config({ idempotency: "replay" });
    await fixture.caller.accepted(again);
    expect(shown(await fixture.caller.submit({ ...again, reference: "studio/b" }))).toEqual(
      refusal(422, "idempotency_key_reuse"),
    );
  });
});

describe("the limits of the provider", () => {
  test("refuse a submit beyond the jobs in flight, and take it again when one is over", async () => {
    const { caller, provider } = fixture;
    await provider.admin.config({ inFlightLimit: 1 });
    const first = await caller.accepted({ reference: "studio/a" });
    expect(shown(await caller.submit({ reference: "studio/b" }))).toEqual(refusal(429, "too_many_concurrent"));

    await provider.admin.finish(first);
    await caller.accepted({ reference: "studio/b" });
    expect((await provider.admin.summary()).maxInFlight).toBe(1);
  });

  test("or accept it and let it wait for its turn", async () => {
    const { caller, provider } = fixture;
    await provider.admin.config({ inFlightLimit: 1, overLimit: "accepted" });
    await caller.accepted({ reference: "studio/a", simulate: { durationMs: 3_600_000 } });
    const second = await caller.accepted({ reference: "studio/b" });

    expect(shown(await caller.get(`/v1/jobs/${second}`))).toMatchObject({ body: { state: "queued", progress: 0 } });
    const { jobs } = await provider.admin.record();
    expect(Date.parse(jobs[1]?.endsAt ?? "")).toBeGreaterThan(Date.parse(jobs[0]?.endsAt ?? ""));
  });

  test("refuse a ref that is known where refs are unique", async () => {
    await fixture.provider.admin.config({ uniqueRefs: true });
    await fixture.caller.accepted({ reference: "studio/a", ref: "attempt-1" });
    expect(shown(await fixture.caller.submit({ reference: "studio/a", ref: "attempt-1" }))).toEqual(
      refusal(409, "duplicate_ref"),
    );
  });

  test("refuse submits that come too fast", async () => {
    await fixture.provider.admin.config({ submitsPerSecond: 2 });
    const seen = await Promise.all([1, 2, 3, 4].map((n) => fixture.caller.submit({ reference: `studio/${n}` })));
    const statuses = seen.map((each) => each.saw === "answer" && each.status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(1);
  });

  test("reset as many connections as asked before reading anything", async () => {
    const { caller, provider } = fixture;
    await provider.admin.config({ resetConnections: 1 });
    expect((await caller.submit({ reference: "studio/a" })).saw).toBe("reset");

    await caller.accepted({ reference: "studio/a" });
    expect((await provider.admin.summary()).submitsReceived).toBe(1);
  });
});
