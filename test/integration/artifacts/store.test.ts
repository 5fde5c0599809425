import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeArtifacts } from "../../../operator/artifacts/artifacts.ts";
import { makeKeys } from "../../../operator/artifacts/keys.ts";
import { publish } from "../../../operator/artifacts/publish.ts";
import type { Verified } from "../../../operator/artifacts/publish.ts";
import { makeStoreClient } from "../../../operator/artifacts/store/client.ts";
import type { StoreClient, StoreSettings } from "../../../operator/artifacts/store/client.ts";
import { makeObjects } from "../../../operator/artifacts/store/objects.ts";
import type { Objects, StoredObject } from "../../../operator/artifacts/store/objects.ts";
import { PART_BYTES } from "../../../operator/artifacts/store/transfer.ts";
import { makeUploads } from "../../../operator/artifacts/store/upload.ts";
import type { Uploads } from "../../../operator/artifacts/store/upload.ts";
import { bytesOf } from "../../unit/artifacts/samples.ts";
import { bigWave } from "./big-wave.ts";
import { startLossyStore } from "./lossy-store.ts";
import type { LossyStore } from "./lossy-store.ts";
import { KEY, orderOf } from "./order.ts";
import { forever, makeWorkshop, storeSettings } from "./workshop.ts";
import type { Workshop } from "./workshop.ts";

const LARGE = bigWave(2 * PART_BYTES + 12_345);

let workshop: Workshop;
let lossy: LossyStore;
let client: StoreClient;
let objects: Objects;
let uploads: Uploads;

beforeAll(async () => {
  workshop = makeWorkshop({ accessTo: () => undefined });
  lossy = await startLossyStore(workshop.store.endpoint ?? "");
  client = makeStoreClient({ ...workshop.store, endpoint: lossy.endpoint });
  objects = makeObjects(client);
  uploads = makeUploads(client, objects, () => undefined);
});

afterAll(async () => {
  client.close();
  await lossy.close();
  await workshop.close();
});

async function store(key: string, bytes: Buffer, signal = forever): Promise<StoredObject> {
  const upload = uploads.begin(`${workshop.store.prefix}${key}`, signal);
  try {
    for (let at = 0; at < bytes.length; at += 100_000) await upload.write(bytes.subarray(at, at + 100_000));
    return await upload.finish();
  } catch (error) {
    await upload.abandon();
    throw error;
  }
}

describe("an upload", () => {
  test.each([
    { what: "a small object", bytes: Buffer.from("harbour"), parts: "" },
    { what: "exactly one part", bytes: LARGE.subarray(0, PART_BYTES), parts: "" },
    { what: "exactly two parts", bytes: LARGE.subarray(0, 2 * PART_BYTES), parts: "-2" },
    { what: "two parts and a bit", bytes: LARGE, parts: "-3" },
  ])("of $what keeps every byte, and the store's checksum is of the whole", async ({ what, bytes, parts }) => {
    const key = `upload/${what.replaceAll(" ", "-")}`;
    const stored = await store(key, bytes);
    expect(stored).toMatchObject({
      bytes: bytes.length,
      etag: expect.stringMatching(`${parts}"$`),
      crc32: expect.any(String),
    });
    expect((await workshop.see(key)).bytes.equals(bytes)).toBe(true);
  });

  test("whose completion took effect and whose answer was lost is complete all the same", async () => {
    lossy.loseAnswersTo((request) => request.method === "POST" && (request.url ?? "").includes("uploadId="));
    const stored = await store("upload/lost-answer", LARGE);
    expect(stored.bytes).toBe(LARGE.length);
    lossy.loseAnswersTo(() => false);
    expect(lossy.lost()).toBeGreaterThan(0);
    expect((await workshop.see("upload/lost-answer")).bytes.equals(LARGE)).toBe(true);
    expect(await workshop.uploads()).toEqual([]);
  });

  test("a part that the store answers with 503 once is sent again", async () => {
    lossy.refuse((request) => (request.url ?? "").includes("partNumber=2"), 1);
    await store("upload/busy-once", LARGE);
    expect((await workshop.see("upload/busy-once")).bytes.equals(LARGE)).toBe(true);
  });

  test("a store that stays down interrupts, and the upload is called off", async () => {
    lossy.refuse((request) => (request.url ?? "").includes("partNumber=2"), 100);
    await expect(store("upload/down", LARGE)).rejects.toMatchObject({ code: "store-busy" });
    lossy.refuse(() => false, 0);
    expect(await workshop.uploads()).toEqual([]);
    expect(await workshop.keys()).not.toContain("upload/down");
  });
});

describe("a publication", () => {
  const verified = (object: StoredObject): Verified => ({
    name: "output-0",
    staged: {
      ...{ outcome: "staged", object, bytes: object.bytes, sha256: "0".repeat(64), isLengthKnown: true },
      type: { mediaType: "image/png", container: "png" },
    },
    facts: { outcome: "asset", mediaType: "image/png", width: 32, height: 24, durationMs: undefined },
  });
  const publisher = () => ({ objects, keys: makeKeys(workshop.store.prefix), bucket: workshop.bucket });

  test("copies only the version that was verified", async () => {
    const order = orderOf([]);
    const object = await store("staging/x/0", bytesOf("image.png"));
    await store("staging/x/0", bytesOf("image.gif"));
    await expect(publish(publisher(), order, [verified(object)], forever)).rejects.toMatchObject({
      code: "store-object-changed",
    });
    expect((await workshop.keys()).filter((key) => key.includes(order.attempt.id))).toEqual([]);
  });

  test("an object of several parts keeps its checksum through the copy", async () => {
    const order = orderOf([]);
    const object = await store("staging/y/0", LARGE);
    const [asset] = await publish(publisher(), order, [verified(object)], forever);
    const copy = await objects.head(`${workshop.store.prefix}assets/${KEY}/${order.attempt.id}/output-0`, forever);
    expect([copy.bytes, copy.crc32]).toEqual([object.bytes, object.crc32]);
    expect(asset).toMatchObject({ bytes: LARGE.length, width: 32, height: 24 });
  });
});

describe("the self-test at start", () => {
  const check = async (change: Partial<StoreSettings>): Promise<void> => {
    const artifacts = makeArtifacts({
      store: { ...storeSettings(), ...change },
      accessTo: () => undefined,
      statesOf: () => Promise.resolve(new Map()),
    });
    await artifacts.checkStore(AbortSignal.timeout(20_000)).finally(() => artifacts.close());
  };

  test.each(["WHEN_SUPPORTED", "WHEN_REQUIRED"] as const)(
    "passes with checksums %s, and leaves nothing",
    async (checksums) => {
      await workshop.artifacts.checkStore(AbortSignal.timeout(20_000));
      await check({ checksums });
      expect((await workshop.keys()).filter((key) => key.startsWith("staging/self-test"))).toEqual([]);
    },
  );

  test("leaves nothing when it is called off in the middle", async () => {
    const stop = new AbortController();
    const held = lossy.hold(({ url }) => (url ?? "").includes("large-copy"));
    const artifacts = makeArtifacts({
      store: { ...workshop.store, endpoint: lossy.endpoint },
      accessTo: () => undefined,
      statesOf: () => Promise.resolve(new Map()),
    });
    const checked = artifacts.checkStore(stop.signal);
    await held.reached;
    stop.abort(new Error("the process is stopping"));
    await expect(checked).rejects.toThrow("cannot use the object store");
    await artifacts.close();
    lossy.heal();
    expect((await workshop.keys()).filter((key) => key.startsWith("staging/self-test"))).toEqual([]);
  });

  test.each([
    {
      when: "nobody listens",
      change: { endpoint: "http://127.0.0.1:9" },
      says: /check `endpoint`.*\(store-unreachable\)$/,
    },
    {
      when: "the credentials are wrong",
      change: { credentials: { accessKeyId: "x", secretAccessKey: "y" } },
      says: /`credentials`/,
    },
    { when: "the bucket is missing", change: { bucket: "no-such-bucket" }, says: /check `bucket`/ },
  ])("$when: one sentence names the setting", async ({ change, says }) => {
    await expect(check(change)).rejects.toThrow(says);
  });

  test("a store that changes what it keeps is found out", async () => {
    lossy.garble(true);
    await expect(check({ endpoint: lossy.endpoint })).rejects.toThrow(
      /set `checksums` to WHEN_REQUIRED \(store-bytes\)$/,
    );
    lossy.garble(false);
  });
});
