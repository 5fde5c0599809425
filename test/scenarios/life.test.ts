import { describe, expect, test } from "@jest/globals";
import type { Deps } from "../../operator/reconcile/ports.ts";
import { NOON } from "../builders/seen.ts";
import { Crash, crashing } from "../fakes/crash.ts";
import { makeWorld } from "../fakes/world.ts";
import type { World } from "../fakes/world.ts";

const phases = (world: World): readonly unknown[] => [...new Set(world.statuses.map(({ phase }) => phase))];

describe("the life of a task", () => {
  test("an ordinary one goes from Pending to Succeeded, settled at what was billed", async () => {
    const world = makeWorld();
    await world.run();
    expect(phases(world)).toEqual(["Pending", "Polling", "Succeeded"]);
    expect(world.status()).toMatchObject({
      attempt: 1,
      providerJobID: "job-1",
      credits: { reserved: "0.1", settled: "0.06", released: "0.04" },
    });
    expect(world.status().assets).toHaveLength(1);
  });

  test("a lost answer is recovered without a second job", async () => {
    const world = makeWorld({ submits: ["lost-after"] });
    await world.run();
    expect(phases(world)).toEqual(["Pending", "SubmitUnknown", "Polling", "Succeeded"]);
    expect(world.provider.submits()).toBe(1);
  });

  test("a submit that the provider never got is proved absent, then submitted again", async () => {
    const world = makeWorld({ submits: ["lost-before"] });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", attempt: 2 });
    expect(world.provider.jobs).toHaveLength(1);
  });

  test("when nobody can tell, a person is asked, and the credits stay held", async () => {
    const world = makeWorld({ submits: ["lost-after"], capabilities: {} });
    await world.run();
    expect(world.status()).toMatchObject({
      phase: "NeedsReview",
      reason: "SubmitUnresolved",
      credits: { reserved: "0.1", settled: "0", released: "0" },
    });
  });

  test("a person binds the job, and it goes on", async () => {
    const world = makeWorld({ submits: ["lost-after"], capabilities: {} });
    await world.run();
    world.edit({ wish: { resolution: { attempt: 1, decision: "BindJob", jobID: "job-1" } } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", providerJobID: "job-1" });
  });

  test("a person says not created, and the next attempt is made", async () => {
    const world = makeWorld({ submits: ["lost-before"], capabilities: {} });
    await world.run();
    world.edit({ wish: { resolution: { attempt: 1, decision: "NotCreated" } } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", attempt: 2 });
  });

  test("a person writes it off", async () => {
    const world = makeWorld({ submits: ["lost-after"], capabilities: {} });
    await world.run();
    world.edit({ wish: { resolution: { attempt: 1, decision: "WriteOff" } } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Failed", reason: "WrittenOff", credits: { released: "0.1" } });
  });

  test("Resubmit, written out, may pay twice and says so by its attempts", async () => {
    const world = makeWorld({ submits: ["lost-after"], capabilities: {}, wish: { unknownPolicy: "Resubmit" } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", attempt: 2 });
    expect(world.provider.jobs).toHaveLength(2);
  });

  test("a task short of credits waits visibly", async () => {
    const world = makeWorld({ credits: 1n });
    await world.run(undefined, 20);
    expect(world.status()).toMatchObject({ phase: "Pending", reason: "InsufficientCredits" });
    expect(world.provider.submits()).toBe(0);
  });

  test("a failed job's credits come back", async () => {
    const world = makeWorld({ end: "failed" });
    await world.run();
    expect(world.status()).toMatchObject({
      phase: "Failed",
      reason: "JobFailed",
      credits: { settled: "0", released: "0.1" },
    });
  });

  test("after a proved failure the retry policy may pay for another attempt", async () => {
    const world = makeWorld({ end: "failed", wish: { retryPolicy: { maxAttempts: 3 } } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Failed", attempt: 3 });
    expect(world.provider.jobs).toHaveLength(3);
  });

  test("a cancel is asked for, and believed when the provider confirms it", async () => {
    const world = makeWorld({ runs: 1000 });
    await world.run(undefined, 8);
    expect(world.status().phase).toBe("Polling");
    world.edit({ wish: { cancelRequested: true } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Cancelled", reason: "CancelledByUser" });
  });

  test("a deleted task is let go only after its money is settled", async () => {
    const world = makeWorld({ runs: 1000 });
    await world.run(undefined, 8);
    world.edit({ deletedAt: NOON });
    await world.run();
    expect(world.exists()).toBe(false);
    expect(world.books.openHolds()).toBe(0);
  });

  test("an outcome is never undone by what the provider says later", async () => {
    const world = makeWorld();
    await world.run();
    world.edit({ wish: { cancelRequested: true } });
    await world.run();
    expect(world.status().phase).toBe("Succeeded");
  });

  test("a wiped status is recomputed and decides nothing (I6)", async () => {
    const world = makeWorld();
    await world.run(undefined, 5);
    world.edit({ reported: {} });
    await world.run();
    expect(world.status().phase).toBe("Succeeded");
    expect(world.provider.jobs).toHaveLength(1);
  });

  test("a second pass over a task that rests changes nothing in its status", async () => {
    const world = makeWorld();
    await world.run();
    const before = world.status();
    await world.run();
    expect(world.status()).toEqual(before);
  });

  test("a stuck job is put before a person, with its credits held", async () => {
    const world = makeWorld({ end: "stuck", capabilities: {} });
    await world.run(undefined, 300);
    expect(world.status()).toMatchObject({ phase: "NeedsReview", reason: "JobStalled" });
  });

  test("an attempt that the database does not know is evidence, through a crash before it is parked (I6)", async () => {
    const reported = { attempt: 3, providerJobID: "job-9", phase: "Polling" } as const;
    const world = makeWorld();
    world.edit({ reported });
    const { deps } = crashing(world, { effect: "books.park", moment: "before", call: 1 });
    await expect(world.run(deps)).rejects.toThrow(Crash);
    await world.run();
    expect(world.status()).toMatchObject({
      phase: "NeedsReview",
      reason: "RecordMissing",
      attempt: 3,
      providerJobID: "job-9",
    });
    expect(world.provider.submits()).toBe(0);

    world.edit({ wish: { resolution: { attempt: 3, decision: "NotCreated" } } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "NeedsReview", attempt: 3 });
    expect(world.status().message).toContain('the provider accepted it as job "job-9"');
  });

  test("what ended before the database was lost keeps its status and its assets (I4)", async () => {
    const asset = { name: "a", uri: "s3://b/a", mediaType: "image/png", bytes: 1, sha256: "0".repeat(64) };
    const reported = { attempt: 1, phase: "Succeeded", providerJobID: "job-9", assets: [asset] } as const;
    const world = makeWorld();
    world.edit({ reported: { ...reported, assets: [asset] } });
    await world.run();
    expect(world.status()).toEqual(reported);
    expect(world.provider.submits()).toBe(0);
  });

  test("a decision about an attempt of a lost database never counts for a later one (I3)", async () => {
    const world = makeWorld({ submits: ["lost-after"], capabilities: {} });
    world.edit({ reported: { attempt: 1, phase: "Polling" } });
    await world.run();
    world.edit({ wish: { resolution: { attempt: 1, decision: "NotCreated" } } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "NeedsReview", reason: "SubmitUnresolved", attempt: 2 });
    expect(world.provider.jobs).toHaveLength(1);
  });

  test("answers lost in a row do not make Resubmit a loop (I10)", async () => {
    const submits = Array.from({ length: 20 }, () => "lost-after" as const);
    const world = makeWorld({ submits, capabilities: {}, wish: { unknownPolicy: "Resubmit" } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "NeedsReview", reason: "SubmitUnresolved" });
    expect(world.provider.jobs).toHaveLength(2);
  });

  test("a submit that takes its time is shown while it is under way", async () => {
    const world = makeWorld();
    const shown = Promise.withResolvers<undefined>();
    const deps: Deps = {
      ...world.deps,
      pause: () => Promise.resolve(),
      tasks: {
        ...world.deps.tasks,
        report: async (task, status, signal) => {
          await world.deps.tasks.report(task, status, signal);
          if (status.phase === "Submitting") shown.resolve(undefined);
        },
      },
      providers: {
        ...world.deps.providers,
        client: () => ({
          ...world.provider,
          submit: (request, signal) => shown.promise.then(() => world.provider.submit(request, signal)),
        }),
      },
    };
    await world.run(deps);
    expect(phases(world)).toEqual(["Pending", "Submitting", "Polling", "Fetching", "Succeeded"]);
  });
});
