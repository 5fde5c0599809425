// The record outlives SIGKILL: whatever was answered or withheld is there afterwards, and jobs go on as if nothing had been.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { shown, type Seen } from "./calling.ts";
import { makeProvider, type Fixture } from "./fixture.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeProvider();
});
afterAll(() => fixture.remove());
beforeEach(() => fixture.provider.admin.reset());

const SECONDS = AbortSignal.timeout.bind(AbortSignal);

describe("a provider that is killed", () => {
  test("keeps a job that it accepted and whose answer it withheld", async () => {
    const { caller, provider } = fixture;
    const simulate = { submit: ["silence-after"], queueMs: 0, durationMs: 50 };
    const submitting = caller.submit({ reference: "studio/a", ref: "attempt-1", simulate });
    const { jobId } = await provider.admin.waitFor((event) => event.type === "submit.accepted", SECONDS(5_000));
    fixture = await fixture.restart();

    expect((await submitting).saw).not.toBe("answer");
    expect(shown(await fixture.caller.get("/v1/jobs?ref=attempt-1"))).toMatchObject({
      body: { items: [{ id: jobId }] },
    });
    expect(await fixture.caller.finished(String(jobId))).toMatchObject({ state: "done", cost: "0.01" });
  });

  test("in the midst of many submits has every job that a client was told of, and no bill but for its jobs", async () => {
    const { caller, provider } = fixture;
    const told: string[] = [];
    const note = (seen: Seen): void => {
      if (seen.saw !== "answer" || seen.status !== 201) return;
      told.push((JSON.parse(seen.body.toString("utf8")) as { id: string }).id);
    };
    const submits = Array.from({ length: 200 }, (_, n) => caller.submit({ reference: `studio/${n}` }).then(note));
    let accepted = 0;
    await provider.admin.waitFor((event) => event.type === "submit.accepted" && ++accepted === 50, SECONDS(10_000));
    fixture = await fixture.restart();
    await Promise.all(submits);

    const { jobs, requests } = await fixture.provider.admin.record();
    const recorded = new Set(jobs.map(({ id }) => id));
    expect(jobs.length).toBeGreaterThanOrEqual(50);
    expect(told.filter((id) => !recorded.has(id))).toEqual([]);
    const ofJobs = new Set(requests.flatMap(({ jobId }) => jobId ?? []));
    expect(jobs.filter(({ id }) => !ofJobs.has(id))).toEqual([]);
    expect((await fixture.provider.admin.summary()).referencesAcceptedTwice).toEqual([]);
  });

  test("ends a job at the time that it would have ended, and bills it once", async () => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({ reference: "studio/a", simulate: { queueMs: 0, durationMs: 20 } });
    const [before] = (await provider.admin.record({ job: id })).jobs;
    fixture = await fixture.restart();

    await fixture.caller.finished(id);
    const { jobs, billed } = await fixture.provider.admin.record({ job: id });
    expect(jobs).toMatchObject([{ endsAt: before?.endsAt, finishedAt: before?.endsAt }]);
    expect(billed).toMatchObject([{ jobId: id, at: before?.endsAt }]);
  });

  test("serves the same bytes under the same URL afterwards", async () => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({ reference: "studio/a", simulate: { queueMs: 0, durationMs: 0 } });
    const { outputs } = await caller.finished(id);
    const expected = await provider.admin.expected(id, "image-1.png");
    fixture = await fixture.restart();

    expect(await fixture.provider.admin.expected(id, "image-1.png")).toEqual(expected);
    const answer = await fetch(outputs[0]?.url ?? "");
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, expected.bytes]);
  });

  test("keeps its config and its schedule, and counts the submits of a reference on", async () => {
    const { caller, provider } = fixture;
    await provider.admin.config({ lookUp: "disabled" });
    await provider.admin.schedule({ submit: { moderated: 1 } });
    await caller.submit({ reference: "studio/a" });
    fixture = await fixture.restart();

    await fixture.caller.submit({ reference: "studio/a" });
    const { requests } = await fixture.provider.admin.record();
    expect(requests.map(({ n, fault }) => [n, fault])).toEqual([
      [1, "moderated"],
      [2, "moderated"],
    ]);
    expect((await fixture.provider.admin.readConfig()).lookUp).toBe("disabled");
  });
});
