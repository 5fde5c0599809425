import { expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { bytesOf } from "../../unit/artifacts/samples.ts";
import { bigWave } from "./big-wave.ts";
import { startFetch } from "./child.ts";
import { makeFixture } from "./fixture.ts";
import { KEY, orderOf, output } from "./order.ts";
import { sized } from "./sender.ts";
import type { Respond } from "./sender.ts";
import { fetchOnce, makeWorkshop } from "./workshop.ts";
import type { Workshop } from "./workshop.ts";

const PNG = bytesOf("image.png");
const WAVE = bigWave(20_000_000);

// Two hours on, so that what a test leaves is old enough to be swept.
const { sender, workshop } = makeFixture({}, () => Date.now() + 2 * 3_600_000);

/** Sends two parts' worth and then falls silent; tells when it has. */
function silentMidway(): { readonly respond: Respond; readonly reached: Promise<undefined> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const respond: Respond = (_, response) => {
    response.writeHead(200, { "content-length": WAVE.length });
    response.write(WAVE.subarray(0, 17_000_000), () => resolve(undefined));
  };
  return { respond, reached: promise };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(20_000);
  while (!(await holds())) limit.throwIfAborted();
}

test("a process that is killed in the middle of a fetch leaves nothing half-visible, and the repeat ends with the right objects alone", async () => {
  const attemptId = randomUUID();
  const place = `assets/${KEY}/${attemptId}/`;
  const { respond, reached } = silentMidway();
  const urls = [sender().serve("/picture", sized(PNG)), sender().serve("/sound", respond)];
  const { endpoint = "", credentials = { accessKeyId: "", secretAccessKey: "" }, ...store } = workshop().store;
  const child = startFetch({
    store: { ...store, endpoint, credentials },
    ...{ ports: [sender().port], urls, attemptId, streams: 2 },
  });
  await reached;
  await until(
    async () => (await workshop().uploads()).length > 0 && (await workshop().keys()).includes(`staging/${attemptId}/0`),
  );
  await child.kill();

  expect((await workshop().keys()).filter((key) => key.startsWith(place))).toEqual([]);
  expect(await workshop().uploads()).toEqual([`staging/${attemptId}/1`]); // what the crash left

  sender().serve("/sound", sized(WAVE));
  const outcome = await fetchOnce(
    workshop(),
    orderOf(
      urls.map((url) => output(url)),
      {},
      attemptId,
    ),
  );
  expect(outcome).toMatchObject({ outcome: "published", assets: [{ bytes: PNG.length }, { bytes: WAVE.length }] });
  expect(await workshop().keys()).toEqual([`${place}output-0`, `${place}output-1`]);
  await workshop().artifacts.sweep(AbortSignal.timeout(20_000));
  expect(await workshop().keys()).toEqual([`${place}output-0`, `${place}output-1`]);
  expect(await workshop().uploads()).toEqual([]);
}, 60_000);

test("a process that is killed and never repeats is cleaned up by the sweep, and a live attempt's staging is left alone", async () => {
  const attemptId = randomUUID();
  const { respond, reached } = silentMidway();
  const urls = [sender().serve("/left-picture", sized(PNG)), sender().serve("/left-sound", respond)];
  const { endpoint = "", credentials = { accessKeyId: "", secretAccessKey: "" }, ...store } = workshop().store;
  const child = startFetch({
    store: { ...store, endpoint, credentials },
    ...{ ports: [sender().port], urls, attemptId, streams: 2 },
  });
  await reached;
  await until(
    async () => (await workshop().uploads()).length > 0 && (await workshop().keys()).includes(`staging/${attemptId}/0`),
  );
  await child.kill();
  const before = (await workshop().keys()).filter((key) => key.startsWith("assets/"));

  const knowing = (state: "live" | "ended" | undefined, ageMs: number): Workshop =>
    makeWorkshop({
      store: workshop().store,
      accessTo: () => undefined,
      statesOf: (ids) => Promise.resolve(new Map(state ? ids.map((id) => [id, state]) : [])),
      nowMs: () => Date.now() + ageMs,
    });
  const nothing = { objects: 0, uploads: 0, isMore: false };
  const rows = [
    { shop: knowing("live", 2 * 3_600_000), swept: nothing },
    { shop: knowing(undefined, 0), swept: nothing },
    { shop: knowing("ended", 0), swept: { objects: 1, uploads: 1, isMore: false } },
  ];
  const signal = AbortSignal.timeout(10_000);
  for (const { shop, swept } of rows) expect(await shop.artifacts.sweep(signal)).toEqual(swept);
  expect(await workshop().keys()).toEqual(before);
  expect(await workshop().uploads()).toEqual([]);
  await Promise.all(rows.map(({ shop }) => shop.artifacts.close()));
}, 60_000);

test("an abort in the middle of an upload calls the upload off before the fetch returns", async () => {
  const { respond, reached } = silentMidway();
  const order = orderOf([output(sender().serve("/aborted", respond))]);
  const controller = new AbortController();
  const fetching = fetchOnce(workshop(), order, 60, controller.signal);
  await reached;
  await until(async () => (await workshop().uploads()).length > 0);
  controller.abort(new Error("the process ends"));
  expect(await fetching).toEqual({ outcome: "interrupted", code: "aborted", retryAfterMs: undefined });
  expect(await workshop().uploads()).toEqual([]);
}, 60_000);
