import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TaskStatus } from "../../../operator/task/resource.ts";
import { LIMIT_MS, eventsAbout, eventually, taskManifest, signal } from "./fixture.ts";
import { makeOffice, type Office } from "./office.ts";

let office: Office;
beforeAll(async () => {
  office = await makeOffice();
}, LIMIT_MS);
afterAll(() => office.cluster.close(), LIMIT_MS);

const conditionsAt = (time: string): TaskStatus["conditions"] => [
  { type: "Held", status: "True", reason: "Held", message: "held", observedGeneration: 1, lastTransitionTime: time },
];

describe("reporting", () => {
  const reported = (phase: NonNullable<TaskStatus["phase"]>, time = "2026-11-30T12:00:00Z"): TaskStatus => ({
    phase,
    reason: "Held",
    message: "held",
    attempt: 1,
    conditions: conditionsAt(time),
  });

  test("the same again writes nothing, also with a fresh time on a condition that did not flip", async () => {
    const task = await office.create("quiet");
    await office.tasks.report(task, reported("Pending"), signal());
    const { resourceVersion } = (await office.live("quiet")).metadata;
    await office.tasks.report(task, reported("Pending"), signal());
    await office.tasks.report(task, reported("Pending", "2026-11-30T18:00:00Z"), signal());
    const now = await office.live("quiet");
    expect(now.metadata.resourceVersion).toBe(resourceVersion);
    expect(now.status).toEqual(reported("Pending"));
  });

  test("what is no longer said is taken away", async () => {
    const task = await office.create("less");
    await office.tasks.report(task, { ...reported("Pending"), queuePosition: 3 }, signal());
    await office.tasks.report(task, reported("Polling"), signal());
    expect((await office.live("less")).status).toEqual(reported("Polling"));
  });

  test("a report that meets a changed object is computed again from the object as it is", async () => {
    const task = await office.create("moved");
    const deaf = office.deaf("moved");
    await office.cluster.admin.tasks.patchStatus(
      office.keyOf("moved"),
      { status: { phase: "Failed", progress: 90 } },
      { signal: signal() },
    );
    await deaf.report(task, reported("Polling"), signal());
    expect((await office.live("moved")).status).toEqual(reported("Polling"));
  });

  test("nothing is written onto another object of the same name", async () => {
    const task = await office.create("other");
    const deaf = office.deaf("other");
    await office.replace("other");
    await deaf.report(task, reported("Polling"), signal());
    expect((await office.live("other")).status).toBeUndefined();
  });

  test("an object that is gone is no fault", async () => {
    const task = await office.create("vanished");
    const deaf = office.deaf("vanished");
    await office.remove("vanished");
    await expect(deaf.report(task, reported("Polling"), signal())).resolves.toBeUndefined();
  });

  test("an object that can't be read is reported on", async () => {
    const spec = { input: { seed: 2 ** 60 } };
    await office.cluster.admin.tasks.create(taskManifest(office.cluster.tenant, "unreadable", { spec }), {
      signal: signal(),
    });
    const read = await eventually(
      () => office.tasks.get(office.keyOf("unreadable")),
      (found) => found !== undefined,
    );
    if (!read || "spec" in read) throw new Error("it was readable");
    expect(read.message).toMatch(/^cannot pass spec\.input on/);
    await office.tasks.report(read, { phase: "Rejected", reason: "TaskUnreadable", message: read.message }, signal());
    expect((await office.live("unreadable")).status).toMatchObject({ phase: "Rejected" });
  });

  test("each transition is one event, however often it is reported", async () => {
    const task = await office.create("events");
    const phases = [
      "Pending",
      "Pending",
      "Submitting",
      "SubmitUnknown",
      "SubmitUnknown",
      "Polling",
      "Polling",
    ] as const;
    for (const [progress, phase] of phases.entries()) {
      await office.tasks.report(task, { ...reported(phase), progress }, signal());
    }
    await office.tasks.report(task, { ...reported("Succeeded"), reason: "AssetsPublished" }, signal());
    const events = await eventually(
      () => eventsAbout(office.cluster, "events"),
      (found) => found.some(({ reason }) => reason === "Succeeded"),
    );
    expect(events.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual([
      "Normal Recovered",
      "Normal Succeeded",
      "Warning SubmitUnknown",
    ]);
    expect(events.every((event) => !("series" in event) && event.regarding.kind === "GenerationTask")).toBe(true);
  });
});
