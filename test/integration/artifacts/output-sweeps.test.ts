// What attempts that are over have put in their place, and their books do not list, over a real Postgres and a real store.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeLateBooks } from "../../../operator/postgres/late.ts";
import type { Ending } from "../../../operator/task/action.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { AttemptId, Epoch, ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";
import type { AssetStatus } from "../../../operator/task/resource.ts";
import { sweepOutputs } from "../../../operator/wiring/output-sweeps.ts";
import { bytesOf } from "../../unit/artifacts/samples.ts";
import type { TestDatabase } from "../postgres/database.ts";
import { NEVER } from "../postgres/desk.ts";
import type { Desk } from "../postgres/desk.ts";
import { dueOf, loseJob } from "../postgres/late-world.ts";
import { ownDesk } from "../postgres/own-desk.ts";
import { makeWorkshop } from "./workshop.ts";
import type { Workshop } from "./workshop.ts";

const FAILED: Ending = { reason: "OutputsUnusable", charge: ZERO, retryAfterMs: undefined, task: undefined };
const SUCCEEDED: Ending = { ...FAILED, reason: "Succeeded" };

let desk: Desk;
let database: TestDatabase;
ownDesk({ studio: 1_000_000n }, (opened) => ({ database, desk } = opened));
let workshop: Workshop;
beforeAll(() => {
  workshop = makeWorkshop({ accessTo: () => undefined });
});
afterAll(() => workshop.close());

interface Place {
  readonly attemptId: AttemptId;
  readonly taskKey: TaskKey;
}

const put = (place: Place, name: string): Promise<void> => workshop.put(keyOf(place, name), bytesOf("image.png"));
const keyOf = ({ attemptId, taskKey }: Place, name: string): string => `assets/${taskKey}/${attemptId}/${name}`;
const left = async ({ attemptId }: Place): Promise<readonly string[]> =>
  (await workshop.keys()).filter((key) => key.includes(attemptId)).map((key) => key.replace(/.*\//, ""));
const assetOf = (place: Place, name: string): AssetStatus => ({
  // As it was called where the bucket had another name: what is listed stays, wherever it has moved to.
  ...{ name, uri: `s3://an-earlier-bucket/${keyOf(place, name)}` },
  ...{ mediaType: "image/png", bytes: 9, sha256: "0".repeat(64) },
});
const sweep = (epoch: Epoch = desk.epoch, artifacts = workshop.artifacts): Promise<void> =>
  sweepOutputs({ pool: desk.pool, fence: () => epoch, artifacts }, NEVER);

/** When the attempt's next sweep is due, in minutes from now; undefined when there will be none. */
async function dueInMinutes({ attemptId }: Place): Promise<number | undefined> {
  const { rows } = await desk.pool.query<{ minutes: number }>(
    "select round(extract(epoch from due_at - now()) / 60)::integer as minutes from genop.output_sweeps where attempt_id = $1",
    [attemptId],
  );
  return rows[0]?.minutes;
}

/** As if an hour had passed since the attempt's end. */
async function anHourPasses({ attemptId }: Place): Promise<void> {
  const back = `update genop.output_sweeps set begun_at = begun_at - interval '1 hour', due_at = due_at - interval '1 hour' where attempt_id = $1`;
  await database.asSuperuser((client) => client.query(back, [attemptId]));
}

/** An attempt whose job is done, and two objects in its place, of which the end is to list the first or none. */
async function copied(): Promise<Place & { readonly end: (ending: Ending) => Promise<void> }> {
  const attempt = await desk.ready();
  const { rows } = await desk.pool.query<{ key: TaskKey }>("select task_key as key from genop.attempts where id = $1", [
    attempt.id,
  ]);
  const place = { attemptId: attempt.id, taskKey: rows[0]?.key ?? ("" as TaskKey) };
  await put(place, "output-0");
  await put(place, "renamed");
  const end = async (ending: Ending): Promise<void> => {
    const assets = ending.reason === "Succeeded" ? [assetOf(place, "output-0")] : [];
    expect((await desk.books.end(attempt, ending, assets)).outcome).toBe("done");
  };
  return { ...place, end };
}

describe("an attempt without success", () => {
  test("loses what it had put in place after its end, and not before", async () => {
    const { end, ...place } = await copied();
    await sweep();
    expect(await left(place)).toEqual(["output-0", "renamed"]);
    await end(FAILED);
    await sweep();
    expect(await left(place)).toEqual([]);
  });

  test("is swept once more an hour later: a deposed leader's last copy may come late", async () => {
    const { end, ...place } = await copied();
    await end(FAILED);
    await sweep();
    expect(await dueInMinutes(place)).toBe(60);
    await put(place, "output-0");
    await sweep();
    expect(await left(place)).toEqual(["output-0"]);
    await anHourPasses(place);
    await sweep();
    expect(await left(place)).toEqual([]);
    expect(await dueInMinutes(place)).toBeUndefined();
  });
});

test("a success keeps what it lists, and loses an hour later what an earlier copy had named otherwise", async () => {
  const { end, ...place } = await copied();
  await end(SUCCEEDED);
  await sweep();
  expect(await left(place)).toEqual(["output-0", "renamed"]);
  await anHourPasses(place);
  await sweep();
  expect(await left(place)).toEqual(["output-0"]);
  expect(await dueInMinutes(place)).toBeUndefined();
});

test.each([
  { kept: ["output-0"], how: "keeps what it lists" },
  { kept: [], how: "loses everything when nothing is to be kept" },
])("a job that turned up late $how", async ({ kept }) => {
  const lost = await loseJob(desk);
  const place = { attemptId: lost.attempt.id, taskKey: lost.key };
  const searching = await dueOf(lost);
  if (searching?.late.state !== "searching") throw new Error("expected a search");
  const books = makeLateBooks(desk.pool, () => desk.epoch);
  await books.markFound(searching.late, "job-late" as ProviderJobId, "look-up").catch(() => undefined);
  await put(place, "output-0");
  await put(place, "renamed");
  await sweep();
  expect(await left(place)).toEqual(["output-0", "renamed"]);
  const found = await dueOf(lost);
  if (found?.late.state !== "found") throw new Error("expected a job that was found");
  const assets = kept.map((name) => assetOf(place, name));
  await books.close(found.late, { verdict: "succeeded", charge: ZERO }, assets);
  await sweep();
  expect(await left(place)).toEqual(kept);
});

test("a deposed leader's sweep takes nothing from its successor, which sweeps again", async () => {
  const [running, over] = [await copied(), await copied()];
  await over.end(FAILED);
  await expect(sweep((desk.epoch - 1n) as Epoch)).resolves.toBeUndefined();
  expect(await left(running)).toEqual(["output-0", "renamed"]);
  expect(await dueInMinutes(over)).toBe(0);
  await sweep();
  expect(await dueInMinutes(over)).toBe(60);
  await running.end(FAILED);
});

test("one that can't be swept keeps none of the others, is told, and is tried again ten minutes later", async () => {
  const places = [await copied(), await copied(), await copied()];
  for (const { end } of places) await end(FAILED);
  const [, stuck] = places;
  const artifacts: Workshop["artifacts"] = {
    ...workshop.artifacts,
    keepOnly: (names, place, signal) =>
      place.attemptId === stuck?.attemptId
        ? Promise.reject(new Error("the store says no"))
        : workshop.artifacts.keepOnly(names, place, signal),
  };
  await expect(sweep(desk.epoch, artifacts)).rejects.toThrow("the store says no");
  expect(await Promise.all(places.map(left))).toEqual([[], ["output-0", "renamed"], []]);
  expect(await Promise.all(places.map(dueInMinutes))).toEqual([60, 10, 60]);
  for (const place of places) await anHourPasses(place);
  await sweep();
  expect(await Promise.all(places.map(left))).toEqual([[], [], []]);
});

test("a store that is down is asked for one batch a round, and not for all that is due", async () => {
  const places = await Promise.all(Array.from({ length: 40 }, copied));
  for (const { end } of places) await end(FAILED);
  let asked = 0;
  const keepOnly: Workshop["artifacts"]["keepOnly"] = () => {
    asked += 1;
    return Promise.reject(new Error("the store is down"));
  };
  await expect(sweep(desk.epoch, { ...workshop.artifacts, keepOnly })).rejects.toThrow("the store is down");
  expect(asked).toBe(32);
  await sweep();
  for (const place of places) await anHourPasses(place);
  await sweep();
  expect((await Promise.all(places.map(left))).flat()).toEqual([]);
});
