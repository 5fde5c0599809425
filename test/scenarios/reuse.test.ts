// A provider that refuses a used key: that it does is evidence of a job, and of its absence there is none after that.
import { describe, expect, test } from "@jest/globals";
import { makeWorld } from "../fakes/world.ts";

const REJECTING = { rejectsReuse: true, capabilities: { idempotency: "RejectOnReuse" } } as const;

describe("idempotency: RejectOnReuse", () => {
  test("a submit that came to nothing is made by the replay, and is the only one", async () => {
    const world = makeWorld({ ...REJECTING, submits: ["lost-before"] });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", attempt: 1 });
    expect(world.provider.jobs).toHaveLength(1);
  });

  test("a job that the list does not show yet is not taken as absent once the provider says that it took it", async () => {
    const world = makeWorld({
      ...REJECTING,
      submits: ["lost-after"],
      lookUpLagMs: 600_000,
      capabilities: { idempotency: "RejectOnReuse", lookupByClientID: true },
    });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "Succeeded", attempt: 1 });
    expect(world.provider.jobs).toHaveLength(1);
  });

  test("without another way a person is told that there is a job, and can't say that there is none", async () => {
    const world = makeWorld({ ...REJECTING, submits: ["lost-after"] });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "NeedsReview" });
    expect(world.status().message).toContain("the provider took the submit");
    world.edit({ wish: { resolution: { attempt: 1, decision: "NotCreated" } } });
    await world.run();
    expect(world.status().message).toContain("cannot take it as not created");
    expect(world.provider.jobs).toHaveLength(1);
  });

  test("Resubmit does not pay twice for sure", async () => {
    const world = makeWorld({ ...REJECTING, submits: ["lost-after"], wish: { unknownPolicy: "Resubmit" } });
    await world.run();
    expect(world.status()).toMatchObject({ phase: "NeedsReview" });
    expect(world.provider.jobs).toHaveLength(1);
  });
});
