// Queries and the ends of jobs: what the client saw under each fault, and that the job's truth is untouched by it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { QueryFault } from "../../provider/schema/faultNames.ts";
import { bodyOf, shown } from "./calling.ts";
import { makeProvider, type Fixture } from "./fixture.ts";
import { matches, patienceFor, SHARED_FAULTS } from "./sharedFaults.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeProvider();
});
afterAll(() => fixture.remove());
beforeEach(() => fixture.provider.admin.reset());

describe("a query of a job that is done", () => {
  const ROWS: readonly { readonly fault: QueryFault; readonly sees: unknown }[] = [
    { fault: "none", sees: { status: 200, body: { state: "done", progress: 100, cost: "0.01", error: null } } },
    ...SHARED_FAULTS,
    { fault: "not-found-transient", sees: { status: 404, body: { error: { code: "not_found" } } } },
    { fault: "unauthorised", sees: { status: 401 } },
    { fault: "unknown-status", sees: { status: 200, body: { state: "reticulating" } } },
    { fault: "odd-case", sees: { status: 200, body: { state: "DONE" } } },
    { fault: "american-cancelled", sees: { status: 200, body: { state: "done" } } },
    { fault: "done-without-output", sees: { status: 200, body: { state: "done", outputs: [] } } },
    { fault: "outputs-late", sees: { status: 200, body: { state: "done", outputs: [] } } },
    { fault: "progress-back", sees: { status: 200, body: { state: "done", progress: 50 } } },
    { fault: "stuck-running", sees: { status: 200, body: { state: "running", outputs: [] } } },
  ];

  test("has a row here for every fault there is", () => {
    expect(new Set(ROWS.map(({ fault }) => fault))).toEqual(new Set(QueryFault.options));
  });

  test.each(ROWS)("that meets $fault spoils that answer alone", async ({ fault, sees }) => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({ reference: "studio/a", simulate: { query: [fault] } });
    await provider.admin.finish(id);

    matches(shown(await caller.get(`/v1/jobs/${id}`, patienceFor(fault))), sees);
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ status: 200, body: { id, state: "done" } });
    const { requests, billed } = await provider.admin.record({ job: id, operation: "query" });
    expect(requests.map((request) => request.fault)).toEqual([fault, "none"]);
    expect(billed).toMatchObject([{ jobId: id, amount: "0.01" }]);
  });
});

describe("a job", () => {
  const ENDS = [
    { end: "done", then: { state: "done", error: null }, billed: 1 },
    { end: "failed", then: { state: "failed", outputs: [], error: { code: "generation_failed" } }, billed: 0 },
    { end: "moderated", then: { state: "failed", outputs: [], error: { code: "content_policy" } }, billed: 0 },
    { end: "done-without-output", then: { state: "done", outputs: [] }, billed: 1 },
    { end: "done-outputs-late", then: { state: "done", outputs: [] }, billed: 1 },
  ];

  test.each(ENDS)("can end $end, and $billed bill is written", async ({ end, then, billed }) => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({ reference: "studio/a", simulate: { end, lateMs: 3_600_000 } });
    await provider.admin.finish(id);
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ status: 200, body: then });
    expect((await provider.admin.record()).billed).toHaveLength(billed);
  });

  test("can be lost by the provider, that bills it all the same", async () => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({ reference: "studio/a", ref: "attempt-1", simulate: { end: "lost" } });
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ status: 200 });
    await provider.admin.finish(id);

    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ status: 404 });
    expect(shown(await caller.get("/v1/jobs?ref=attempt-1"))).toEqual({ status: 200, body: { items: [] } });
    expect((await provider.admin.record()).billed).toHaveLength(1);
  });

  test("passes through queued and running to done by itself, in the time that was asked for", async () => {
    const { caller } = fixture;
    const simulate = { queueMs: 1, durationMs: 50 };
    const id = await caller.accepted({ reference: "studio/a", model: "acme-video-2", simulate });
    const view = await caller.finished(id);
    expect(view).toMatchObject({ state: "done", cost: "0.10", outputs: [{ name: "video-1.mp4" }] });
  });

  test.each([
    { bill: { when: "acceptance" }, end: "failed", amount: "0.01" },
    { bill: { when: "never" }, end: "done", amount: undefined },
    { bill: { failed: true }, end: "failed", amount: "0.01" },
    { bill: { amount: "0.25" }, end: "done", amount: "0.25" },
  ])("asked to bill $bill and to end $end is billed $amount", async ({ bill, end, amount }) => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({ reference: "studio/a", simulate: { bill, end } });
    await provider.admin.finish(id);
    expect(bodyOf(await caller.get(`/v1/jobs/${id}`), 200)).toMatchObject({ cost: amount ?? "0" });
    expect((await provider.admin.record()).billed.map((bill) => bill.amount)).toEqual(
      amount === undefined ? [] : [amount],
    );
  });

  test("that is held stays running until it is released", async () => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({
      reference: "studio/a",
      simulate: { queueMs: 0, durationMs: 0, end: "stuck-running" },
    });
    await provider.admin.hold(id);
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ body: { state: "running" } });
    await provider.admin.release(id);
    await provider.admin.finish(id);
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ body: { state: "done" } });
  });
});
