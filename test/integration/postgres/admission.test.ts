// Places at the provider over real Postgres: exact whoever asks at the same time, and given in the order of the line.
import { describe, expect, test } from "@jest/globals";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { TestDatabase } from "./database.ts";
import { NOT_CREATED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";
import { newLine } from "./line.ts";

const QUEUED = { outcome: "queued" };
const SENT = { outcome: "sent" };

let database: TestDatabase;
let desk: Desk;
ownDesk({ studio: 1_000_000n, other: 1_000_000n }, (opened) => ({ database, desk } = opened));

async function positionOf(attempt: AttemptIn<"intended">): Promise<number | undefined> {
  const { rows } = await desk.pool.query<{ waiting_position: number | null }>(
    "select waiting_position from genop.tasks where key = (select task_key from genop.attempts where id = $1)",
    [attempt.id],
  );
  return rows[0]?.waiting_position ?? undefined;
}

describe("places at the provider", () => {
  test("of eight submits at once, exactly three are admitted to three places, again and again", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { askAll, joinMany } = newLine(desk);
      const attempts = await joinMany(8);
      expect(await askAll(attempts, { inFlight: 3 })).toBe(3);
      expect(await askAll(attempts, { inFlight: 3 })).toBe(0);
    }
  });

  test.each([
    { limit: "modelInFlight", same: { model: "a" }, free: { model: "b" } },
    { limit: "namespaceInFlight", same: { namespace: "studio" }, free: { namespace: "other" } },
  ] as const)("$limit binds its own, and leaves others alone", async ({ free, limit, same }) => {
    const { ask, askAll, join } = newLine(desk);
    const [unbound, ...bound] = await join([free, ...Array.from({ length: 6 }, () => same)]);
    expect(await askAll(bound, { [limit]: 2, inFlight: 5 })).toBe(2);
    expect(await ask(unbound, { [limit]: 2, inFlight: 5 })).toMatchObject(SENT);
  });

  test("a place is free again when its job is done, though its outputs are still being copied", async () => {
    const { ask, joinMany, provider } = newLine(desk);
    const accepted = await desk.accepted(wish({ provider }));
    const [next] = await joinMany(1);
    expect(await ask(next, { inFlight: 1 })).toMatchObject(QUEUED);
    await desk.books.markReady(accepted, undefined);
    expect(await ask(next, { inFlight: 1 })).toMatchObject(SENT);
  });

  test("a submit whose answer is lost keeps its place: a job may run", async () => {
    const { ask, joinMany, provider } = newLine(desk);
    await desk.books.markAmbiguous(await desk.sent(wish({ provider })), "reset", 0);
    const [next] = await joinMany(1);
    expect(await ask(next, { inFlight: 1 })).toMatchObject(QUEUED);
  });
});

describe("the line", () => {
  test("goes by priority, then by age, and shows the place", async () => {
    const { ask, join, provider } = newLine(desk);
    const running = await desk.accepted(wish({ provider }));
    const attempts = await join([{}, {}, { priority: 5 }]);
    for (const attempt of [...attempts, ...attempts]) await ask(attempt, { inFlight: 1 });
    expect(await Promise.all(attempts.map(positionOf))).toEqual([2, 3, 1]);
    await desk.books.markReady(running, undefined);
    const [older, younger, urgent] = attempts;
    expect(await ask(younger, { inFlight: 1 })).toMatchObject(QUEUED);
    expect(await ask(older, { inFlight: 1 })).toMatchObject(QUEUED);
    expect(await ask(urgent, { inFlight: 1 })).toMatchObject(SENT);
    expect(urgent && (await positionOf(urgent))).toBeUndefined();
  });

  test("whoever stopped asking does not stand in the way", async () => {
    const { ask, join } = newLine(desk);
    const [silent, eager] = await join([{ priority: 9 }, {}]);
    await ask(silent, { inFlight: 0 });
    expect(await ask(eager, { inFlight: 1 })).toMatchObject(QUEUED);
    await database.asSuperuser((client) =>
      client.query("update genop.attempts set wanted_at = now() - interval '61 seconds' where id = $1", [silent?.id]),
    );
    expect(await ask(eager, { inFlight: 1 })).toMatchObject(SENT);
  });

  test("whoever keeps asking stays in line, though its row is not written each time", async () => {
    const { ask, join } = newLine(desk);
    const [patient, eager] = await join([{ priority: 9 }, {}]);
    await ask(patient, { inFlight: 0 });
    await database.asSuperuser((client) =>
      client.query("update genop.attempts set wanted_at = now() - interval '59 seconds' where id = $1", [patient?.id]),
    );
    await ask(patient, { inFlight: 0 });
    const { rows } = await desk.pool.query(
      "select from genop.attempts where id = $1 and wanted_at > now() - interval '9 seconds'",
      [patient?.id],
    );
    expect(rows).toHaveLength(1);
    expect(await ask(eager, { inFlight: 1 })).toMatchObject(QUEUED);
  });

  test("whoever waits for its own namespace's limit stands in the way of its own only", async () => {
    const { ask, join } = newLine(desk);
    const [bound, sibling, foreign] = await join([{}, {}, { namespace: "other" }]);
    await ask(bound, { namespaceInFlight: 0, inFlight: 1 });
    expect(await ask(sibling, { namespaceInFlight: 1, inFlight: 5 })).toMatchObject(QUEUED);
    expect(await ask(foreign, { inFlight: 1 })).toMatchObject(SENT);
  });

  test("an attempt that never asked, or has ended, is not in it", async () => {
    const { ask, join } = newLine(desk);
    const [, gone, eager] = await join([{ priority: 9 }, { priority: 9 }, {}]);
    await ask(gone, { inFlight: 0 });
    if (gone) await desk.books.end(gone, NOT_CREATED, []);
    expect(await ask(eager, { inFlight: 1 })).toMatchObject(SENT);
  });

  test("a change of place is told once", async () => {
    const { ask, joinMany } = newLine(desk);
    const [alone] = await joinMany(1);
    expect(await ask(alone, { inFlight: 0 })).toMatchObject({ ...QUEUED, changed: true });
    expect(await ask(alone, { inFlight: 0 })).toMatchObject({ ...QUEUED, changed: false, afterMs: 400 });
  });
});
