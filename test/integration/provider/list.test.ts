// Look-ups and lists: how a lost job can be found again, and all the ways in which it can't.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ListFault } from "../../provider/schema/faultNames.ts";
import { bodyOf, shown } from "./calling.ts";
import { makeProvider, type Fixture } from "./fixture.ts";
import { matches, patienceFor, SHARED_FAULTS } from "./sharedFaults.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeProvider();
});
afterAll(() => fixture.remove());
beforeEach(() => fixture.provider.admin.reset());

describe("a look-up by our ref", () => {
  const ROWS: readonly { readonly fault: ListFault; readonly sees: unknown }[] = [
    { fault: "none", sees: { status: 200, body: { items: [{ ref: "attempt-1" }] } } },
    ...SHARED_FAULTS,
    { fault: "not-found", sees: { status: 404 } },
    { fault: "no-items", sees: { status: 200, body: { items: [] } } },
  ];

  test("has a row here for every fault there is", () => {
    expect(new Set(ROWS.map(({ fault }) => fault))).toEqual(new Set(ListFault.options));
  });

  test.each(ROWS)("that meets $fault hides the job once", async ({ fault, sees }) => {
    const { caller } = fixture;
    const id = await caller.accepted({
      reference: "studio/a",
      ref: "attempt-1",
      simulate: { list: { faults: [fault] } },
    });
    matches(shown(await caller.get("/v1/jobs?ref=attempt-1", patienceFor(fault))), sees);
    expect(shown(await caller.get("/v1/jobs?ref=attempt-1"))).toMatchObject({ status: 200, body: { items: [{ id }] } });
  });

  test("of a ref that nobody used finds nothing", async () => {
    expect(shown(await fixture.caller.get("/v1/jobs?ref=nobody"))).toEqual({ status: 200, body: { items: [] } });
  });

  test("finds a lagging job only later, though its id is known at once", async () => {
    const { caller } = fixture;
    const lagging = { reference: "studio/a", ref: "attempt-1", simulate: { list: { lagMs: 3_600_000 } } };
    const id = await caller.accepted(lagging);
    expect(shown(await caller.get("/v1/jobs?ref=attempt-1"))).toEqual({ status: 200, body: { items: [] } });
    expect(shown(await caller.get("/v1/jobs"))).toMatchObject({ body: { items: [] } });
    expect(shown(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ status: 200 });
    await fixture.provider.admin.show(id);
    expect(shown(await caller.get("/v1/jobs?ref=attempt-1"))).toMatchObject({ body: { items: [{ id }] } });
    expect(shown(await caller.get("/v1/jobs"))).toMatchObject({ body: { items: [{ id }] } });
  });

  test("can be absent altogether, as can the list", async () => {
    const { caller, provider } = fixture;
    await provider.admin.config({ lookUp: "disabled", list: "disabled" });
    expect(shown(await caller.get("/v1/jobs?ref=attempt-1"))).toMatchObject({ status: 404 });
    expect(shown(await caller.get("/v1/jobs"))).toMatchObject({ status: 404 });
  });
});

describe("the list", () => {
  test("is newest first, page by page, with the input where the provider echoes it", async () => {
    const { caller, provider } = fixture;
    const ids: string[] = [];
    for (let n = 1; n <= 5; n++) ids.unshift(await caller.accepted({ reference: `studio/${n}` }));

    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path = `/v1/jobs?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page = bodyOf(await caller.get(path), 200) as Page;
      seen.push(...page.items.map(({ id }) => id));
      expect(page.items.every(({ input }) => typeof input?.reference === "string")).toBe(true);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(ids);

    await provider.admin.config({ echoInput: false });
    expect((bodyOf(await caller.get("/v1/jobs"), 200) as Page).items[0]).not.toHaveProperty("input");
  });

  test("can be narrowed by time and model", async () => {
    const { caller } = fixture;
    await caller.accepted({ reference: "studio/a", model: "acme-video-2" });
    const future = new Date(Date.now() + 60_000).toISOString();
    const found = async (query: string): Promise<number> =>
      (bodyOf(await caller.get(`/v1/jobs?${query}`), 200) as Page).items.length;

    expect(await found("model=acme-video-2")).toBe(1);
    expect(await found("model=acme-image-1")).toBe(0);
    expect(await found(`created_before=${future}`)).toBe(1);
    expect(await found(`created_after=${future}`)).toBe(0);
  });
});

interface Page {
  readonly items: readonly { readonly id: string; readonly input?: Readonly<Record<string, unknown>> }[];
  readonly next_cursor: string | null;
}
