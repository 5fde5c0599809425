// What a person decides on a task that waits for it, against what is known by then.
import { describe, expect, test } from "@jest/globals";
import type { ProviderJobId } from "../../operator/task/brand.ts";
import { makeWorld } from "../fakes/world.ts";
import type { World } from "../fakes/world.ts";

async function undecided(): Promise<World> {
  const world = makeWorld({ submits: ["lost-after"], capabilities: {} });
  await world.run();
  expect(world.status()).toMatchObject({ phase: "NeedsReview", reason: "SubmitUnresolved" });
  return world;
}

/** The same after a restore from before the attempt: the books know nothing, and the status shows it. */
async function forgotten(attempt: number, credits?: bigint): Promise<World> {
  const world = makeWorld({ ...(credits !== undefined && { credits }) });
  await world.provider.submit({ attemptId: "lost" as never, model: "m", input: {}, task: {} as never }, SIGNAL);
  world.edit({ reported: { attempt, phase: "Polling", providerJobID: "job-1" } });
  await world.run();
  expect(world.status()).toMatchObject({ phase: "NeedsReview", reason: "RecordMissing" });
  return world;
}

const SIGNAL = new AbortController().signal;
const decide = (attempt: number, decision: string, jobID?: string): object => ({
  wish: { resolution: { attempt, decision, ...(jobID && { jobID }) } },
});

describe("a person's decision", () => {
  test("a mistyped job id is refused with a sentence, and the right one still counts", async () => {
    const world = await undecided();
    world.edit(decide(1, "BindJob", "jbo-1"));
    await world.run(undefined, 50);
    expect(world.status()).toMatchObject({ phase: "NeedsReview", credits: { reserved: "0.1", released: "0" } });
    expect(world.status().message).toContain('cannot bind job "jbo-1" to attempt 1: the provider knows no such job');

    world.edit(decide(1, "BindJob", "job-1"));
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", providerJobID: "job-1" });
    expect(world.provider.submits()).toBe(1);
  });

  test("a wrong one is asked for again rarely, and costs no write once it is said", async () => {
    const world = await undecided();
    world.edit(decide(1, "BindJob", "jbo-1"));
    await world.run(undefined, 10);
    const written = world.statuses.length;
    const passes = await world.run(undefined, 20);
    expect(passes).toBe(20);
    expect(new Set(world.statuses.slice(written - 1).map((status) => JSON.stringify(status))).size).toBe(1);
  });

  test("one about another attempt is told which attempt is in question", async () => {
    const world = await undecided();
    world.edit(decide(2, "NotCreated"));
    await world.run();
    expect(world.status().message).toContain("spec.resolution is about attempt 2, and attempt 1 is in question");
    expect(world.provider.submits()).toBe(1);
  });

  test("a job can be bound although the books lost its attempt", async () => {
    const world = await forgotten(3);
    world.edit(decide(3, "BindJob", "job-1"));
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", attempt: 3, providerJobID: "job-1" });
    expect(world.status().credits).toEqual({ reserved: "0.1", settled: "0.06", released: "0.04" });
    expect(world.provider.jobs).toHaveLength(1);
  });

  test("without the credits to hold for it, it says so", async () => {
    const world = await forgotten(1, 1n);
    world.edit(decide(1, "BindJob", "job-1"));
    await world.run(undefined, 20);
    expect(world.status()).toMatchObject({ phase: "NeedsReview" });
    expect(world.status().message).toContain("add a CreditGrant");
  });
});

describe("what a person decided is in the books", () => {
  const told = (world: World): readonly string[] => world.books.decisions.map(({ decision }) => decision);

  test("once its job is confirmed, and not while the provider knows no such job", async () => {
    const world = await undecided();
    world.edit(decide(1, "BindJob", "jbo-1"));
    await world.run(undefined, 50);
    expect(told(world)).toEqual([]);
    world.edit(decide(1, "BindJob", "job-1"));
    await world.run();
    expect(told(world)).toEqual(["BindJob"]);
  });

  test("when the attempt is written off, and when another may begin", async () => {
    const world = await undecided();
    world.edit(decide(1, "NotCreated"));
    await world.run(undefined, 50);
    expect(told(world)).toEqual(["NotCreated"]);
    const other = await undecided();
    other.edit(decide(1, "WriteOff"));
    await other.run();
    expect(told(other)).toEqual(["WriteOff"]);
  });

  test.each(["NotCreated", "WriteOff"])("when there is no attempt to end: %s", async (decision) => {
    const world = makeWorld({});
    world.edit({ reported: { attempt: 1, phase: "Submitting" } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "NeedsReview", reason: "RecordMissing" });
    world.edit(decide(1, decision));
    await world.run();
    expect(told(world)).toEqual([decision]);
  });
});

describe("a job that a webhook names", () => {
  const adopting = { capabilities: { webhookAdoption: true } };

  test("is adopted when the provider confirms it", async () => {
    const world = makeWorld({ submits: ["lost-after"], ...adopting });
    await world.run(undefined, 8);
    expect(world.status().phase).toBe("SubmitUnknown");
    world.books.claim("job-1" as ProviderJobId);
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", attempt: 1 });
    expect(world.provider.submits()).toBe(1);
  });

  test("is never adopted when the provider does not know it, and does not keep the true one out", async () => {
    const world = makeWorld({ submits: ["lost-after"], ...adopting });
    await world.run(undefined, 8);
    world.books.claim("job-666" as ProviderJobId);
    world.books.claim("job-1" as ProviderJobId);
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", providerJobID: "job-1" });
  });

  test("still counts after the task was put before a person", async () => {
    const world = makeWorld({ submits: ["lost-after"], ...adopting });
    await world.run();
    expect(world.status().phase).toBe("NeedsReview");
    world.books.claim("job-1" as ProviderJobId);
    await world.run();
    expect(world.status().phase).toBe("Succeeded");
  });
});
