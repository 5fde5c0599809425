// Cancels, which race completion, and the bill that comes of it all.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { CancelFault } from "../../provider/schema/faultNames.ts";
import { bodyOf, shown } from "./calling.ts";
import { makeProvider, type Fixture } from "./fixture.ts";
import { matches, patienceFor } from "./sharedFaults.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeProvider();
});
afterAll(() => fixture.remove());
beforeEach(() => fixture.provider.admin.reset());

describe("a cancel", () => {
  const ROWS: readonly { readonly fault: CancelFault; readonly sees: unknown; readonly then: string }[] = [
    { fault: "none", sees: { status: 202 }, then: "cancelled" },
    { fault: "ignored", sees: { status: 202 }, then: "running" },
    { fault: "server-error", sees: { status: 500 }, then: "running" },
    { fault: "already-completed", sees: { status: 409 }, then: "running" },
    { fault: "late", sees: { status: 202 }, then: "running" },
    { fault: "reset", sees: "reset", then: "running" },
    { fault: "silence", sees: "silence", then: "running" },
  ];

  test("has a row here for every fault there is", () => {
    expect(ROWS.map(({ fault }) => fault)).toEqual(CancelFault.options);
  });

  test.each(ROWS)("that meets $fault leaves the job $then", async ({ fault, sees, then }) => {
    const { caller, provider } = fixture;
    await provider.admin.config({ cancelDelayMs: 0 });
    const simulate = { queueMs: 0, durationMs: 3_600_000, lateMs: 3_600_000, cancel: [fault] };
    const id = await caller.accepted({ reference: "studio/a", simulate });

    matches(shown(await caller.post(`/v1/jobs/${id}/cancel`, patienceFor(fault))), sees);
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ body: { state: then } });
    expect((await provider.admin.record()).billed).toEqual([]);
  });

  test("that comes too late loses against completion, and the job is billed", async () => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({
      reference: "studio/a",
      simulate: { queueMs: 0, durationMs: 3_600_000, lateMs: 7_200_000, cancel: ["late"] },
    });
    await caller.post(`/v1/jobs/${id}/cancel`);
    await provider.admin.finish(id);
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ body: { state: "done", cost: "0.01" } });
    expect(shown(await caller.post(`/v1/jobs/${id}/cancel`))).toMatchObject({ status: 409 });
  });

  test("is billed where the provider bills cancelled jobs", async () => {
    const { caller, provider } = fixture;
    await provider.admin.config({ cancelDelayMs: 0, bill: { cancelled: true } });
    const id = await caller.accepted({ reference: "studio/a", simulate: { durationMs: 3_600_000 } });
    await caller.post(`/v1/jobs/${id}/cancel`);
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ body: { state: "cancelled", cost: "0.01" } });
  });
});

describe("the bill", () => {
  test("has a line for each billed job, as JSON and as CSV, within the time asked for", async () => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({ reference: "studio/a", ref: 'a "quoted", ref', model: "acme-audio-1" });
    await caller.accepted({ reference: "studio/b", simulate: { durationMs: 3_600_000 } });
    await provider.admin.finish(id);

    const { items } = bodyOf(await caller.get("/v1/usage"), 200) as { items: readonly unknown[] };
    expect(items).toMatchObject([{ job_id: id, ref: 'a "quoted", ref', model: "acme-audio-1", amount: "0.02" }]);
    const csv = await caller.get("/v1/usage?format=csv");
    expect(csv.saw === "answer" && csv.body.toString("utf8")).toMatch(
      new RegExp(`^job_id,ref,model,amount,billed_at\r\n${id},"a ""quoted"", ref",acme-audio-1,0.02,[^,]+Z\r\n$`),
    );
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(bodyOf(await caller.get(`/v1/usage?from=${later}`), 200)).toEqual({ items: [], next_cursor: null });
    expect((await provider.admin.summary()).billedTotal).toBe("0.02");
  });
});
