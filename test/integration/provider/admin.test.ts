// The admin API: the schedule over HTTP, events that can't be missed, filters, and refusals.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { request } from "node:http";
import { chooseFault } from "../../provider/faults/choose.ts";
import type { Schedule } from "../../provider/schema/config.ts";
import { makeProvider, type Fixture } from "./fixture.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeProvider();
});
afterAll(() => fixture.remove());
beforeEach(() => fixture.provider.admin.reset());

const limit = (): AbortSignal => AbortSignal.timeout(5_000);

describe("the schedule", () => {
  test("gives every submit the fault that the seed says, in whatever order they come", async () => {
    const { caller, provider } = fixture;
    const schedule: Schedule = {
      seed: 42,
      submit: { none: 2, "unavailable-before": 1, "reset-after": 1, "no-id-after": 1 },
    };
    await provider.admin.schedule(schedule);
    const references = Array.from({ length: 10 }, (_, n) => `studio/${n}`);
    await Promise.all([...references, ...references.toReversed()].map((reference) => caller.submit({ reference })));

    const { requests } = await provider.admin.record({ operation: "submit" });
    const met = requests.map(({ reference, n, fault }) => `${reference} ${n} ${fault}`).sort();
    const expected = references.flatMap((reference) =>
      [1, 2].map((n) => `${reference} ${n} ${chooseFault(undefined, schedule, { place: "submit", reference, n })}`),
    );
    expect(met).toEqual(expected.sort());
    expect(new Set(requests.map(({ fault }) => fault)).size).toBeGreaterThan(2);
  });

  test("is off where the request lists its own faults, and after an empty one", async () => {
    const { caller, provider } = fixture;
    await provider.admin.schedule({ seed: 1, submit: { moderated: 1 } });
    await caller.accepted({ reference: "studio/a", simulate: { submit: [] } });
    await provider.admin.schedule({});
    await caller.accepted({ reference: "studio/b" });
  });

  test("is refused when it names a fault that does not exist", async () => {
    const wrong = { submit: { "no-such-fault": 1 } } as unknown as Schedule;
    await expect(fixture.provider.admin.schedule(wrong)).rejects.toThrow(/422.*no-such-fault/s);
  });
});

describe("events", () => {
  test("tell the life of a job in order, to whoever asks afterwards", async () => {
    const { caller, provider } = fixture;
    const before = await lastSeq();
    const id = await caller.accepted({ reference: "studio/a", simulate: { queueMs: 0, durationMs: 0 } });
    await caller.finished(id);
    const types: string[] = [];
    for await (const event of provider.admin.events(limit(), before)) {
      types.push(event.type);
      if (event.type === "job.queried") break;
    }
    const life = ["submit.received", "submit.accepted", "job.finished", "job.billed", "job.queried"];
    expect(types.filter((type) => type !== "submit.answered")).toEqual(life);
  });

  test("come to whoever waits before they happen", async () => {
    const { caller, provider } = fixture;
    const waiting = provider.admin.waitFor((event) => event.type === "job.looked-up", limit(), await lastSeq());
    await caller.get("/v1/jobs?ref=attempt-1");
    expect(await waiting).toMatchObject({ ref: "attempt-1", found: 0 });
  });

  test("end for a waiter whose patience ends", async () => {
    const waiting = fixture.provider.admin.waitFor(() => false, AbortSignal.timeout(50));
    await expect(waiting).rejects.toThrow();
  });

  const lastSeq = async (): Promise<number> => {
    await fixture.caller.get("/v1/jobs");
    let seq = 0;
    for await (const event of fixture.provider.admin.events(limit())) {
      seq = event.seq;
      if (event.type === "job.listed") break;
    }
    return seq;
  };
});

describe("the record", () => {
  test("can be read for one reference, one job, one operation, and on from a request", async () => {
    const { caller, provider } = fixture;
    const a = await caller.accepted({ reference: "studio/a" });
    await caller.accepted({ reference: "studio/b" });
    await caller.get(`/v1/jobs/${a}`);

    const counts = async (filter: object): Promise<readonly number[]> => {
      const { jobs, requests } = await provider.admin.record(filter);
      return [jobs.length, requests.length];
    };
    expect(await counts({})).toEqual([2, 3]);
    expect(await counts({ reference: "studio/a" })).toEqual([1, 2]);
    expect(await counts({ job: a })).toEqual([1, 2]);
    expect(await counts({ operation: "query" })).toEqual([2, 1]);
    const [first] = (await provider.admin.record()).requests;
    expect(await counts({ after: first?.id, limit: 1 })).toEqual([2, 1]);
  });

  test("shows every request, those to nowhere included", async () => {
    await fixture.caller.get("/v2/nothing?x=1");
    const { requests } = await fixture.provider.admin.record();
    expect(requests).toMatchObject([{ operation: "unknown", method: "GET", path: "/v2/nothing?x=1", status: 404 }]);
  });
});

test.each(["//[", "*", "http://[::1", "/v1/jobs/%E0%A4%A"])(
  "the target %s does not break the provider",
  async (path) => {
    const { port, admin } = fixture.provider;
    const answered = new Promise((resolve, reject) => {
      const outgoing = request({ host: "127.0.0.1", port, path, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      outgoing.on("error", reject).end();
    });
    expect(await answered).toBe(401);
    expect((await admin.record()).requests).toHaveLength(1);
  },
);

test.each([
  {
    when: "a config with an unknown key",
    act: () => fixture.provider.admin.config({ nonsense: 1 } as object),
    says: /422/,
  },
  { when: "finishing a job that is not there", act: () => fixture.provider.admin.finish("job_x"), says: /404/ },
  { when: "an output that is not there", act: () => fixture.provider.admin.expected("job_x", "a.png"), says: /404/ },
])("$when is refused", async ({ act, says }) => {
  await expect(act()).rejects.toThrow(says);
});
