import { afterEach, describe, expect, test } from "@jest/globals";
import { createHash, randomUUID } from "node:crypto";
import { bytesOf } from "../../unit/artifacts/samples.ts";
import { bigWave } from "./big-wave.ts";
import { makeFixture } from "./fixture.ts";
import { chunked, closing, cut, dripping, sized, startSender } from "./sender.ts";
import type { AttemptId } from "../../../operator/task/brand.ts";
import type { Respond } from "./sender.ts";
import { KEY, loopbackAccess, orderOf, output } from "./order.ts";
import { fetchOnce, makeWorkshop } from "./workshop.ts";

const PNG = bytesOf("image.png");
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const interrupted = (code: string, retryAfterMs?: number) => ({ outcome: "interrupted", code, retryAfterMs });

const { workshop, serve } = makeFixture({
  stallMs: 400,
  windowMs: 2_000,
  minBytesPerSecond: 1_000,
  totalBytes: 40_000_000,
});

describe("I9: whole assets are published", () => {
  afterEach(async () => {
    expect(await workshop().uploads()).toEqual([]);
  });

  test.each([
    { framing: "with its length", respond: sized(PNG) },
    { framing: "in chunks", respond: chunked(PNG) },
    { framing: "until the connection ends, with a HEAD that tells the length", respond: closing(PNG, sized(PNG)) },
    {
      framing: "until the connection ends, with a range that tells the length",
      respond: closing(PNG, (request, response) => {
        if (request.method === "HEAD") response.writeHead(405).end();
        else response.writeHead(206, { "content-range": `bytes 0-0/${PNG.length}` }).end("x");
      }),
    },
    { framing: "until the connection ends, in a format that tells its own end", respond: closing(PNG) },
  ])("an output that comes $framing", async ({ respond }) => {
    const order = orderOf([output(serve(respond))]);
    const key = `assets/${KEY}/${order.attempt.id}/output-0`;

    expect(await fetchOnce(workshop(), order)).toEqual({
      outcome: "published",
      assets: [
        {
          name: "output-0",
          uri: `s3://${workshop().bucket}/${workshop().store.prefix}${key}`,
          mediaType: "image/png",
          bytes: PNG.length,
          sha256: sha256(PNG),
          width: 32,
          height: 24,
        },
      ],
    });
    expect(await workshop().keys()).toContain(key);
    expect((await workshop().keys()).filter((found) => found.startsWith("staging/"))).toEqual([]);
    expect(await workshop().see(key)).toEqual({
      bytes: PNG,
      mediaType: "image/png",
      disposition: "attachment",
      metadata: { sha256: sha256(PNG), attempt: order.attempt.id, namespace: "studio", task: "sunrise" },
    });
  });

  test("an output of several parts arrives as it was sent", async () => {
    const wave = bigWave(20_000_000);
    const order = orderOf([output(serve(sized(wave)), { name: "voice.wav", bytes: wave.length })]);
    expect(await fetchOnce(workshop(), order)).toMatchObject({
      outcome: "published",
      assets: [
        { name: "voice.wav", mediaType: "audio/wav", bytes: wave.length, sha256: sha256(wave), durationMs: 625_000 },
      ],
    });
    const { bytes } = await workshop().see(`assets/${KEY}/${order.attempt.id}/voice.wav`);
    expect(bytes.equals(wave)).toBe(true);
  });

  test("an output inside the provider's answer", async () => {
    const order = orderOf([output(`data:image/jpeg;base64,${PNG.toString("base64")}`)]);
    expect(await fetchOnce(workshop(), order)).toMatchObject({
      outcome: "published",
      assets: [{ mediaType: "image/png", sha256: sha256(PNG) }],
    });
  });

  test("repeating a fetch ends at the same keys, and leaves what an earlier one named otherwise to the sweep by the books", async () => {
    const id = randomUUID();
    const place = `assets/${KEY}/${id}/`;
    await fetchOnce(workshop(), orderOf([output(serve(sized(PNG)), { name: "first-name" })], {}, id));
    const again = () => fetchOnce(workshop(), orderOf([output(serve(sized(PNG)), { name: "second-name" })], {}, id));
    expect(await again()).toEqual(await again());
    const there = async () => (await workshop().keys()).filter((key) => key.startsWith(place));
    expect(await there()).toEqual([`${place}first-name`, `${place}second-name`]);
    const fetched = await again();
    const names = fetched.outcome === "published" ? fetched.assets.map(({ name }) => name) : [];
    await workshop().artifacts.keepOnly(
      names,
      { attemptId: id as AttemptId, taskKey: KEY },
      AbortSignal.timeout(5_000),
    );
    expect(await there()).toEqual([`${place}second-name`]);
  });
});

describe("what may pass is interrupted, with a stable word", () => {
  test.each([
    { when: "less comes than the length says", respond: cut(PNG, 100), then: interrupted("closed") },
    {
      when: "a close-delimited body was cut (HEAD tells)",
      respond: closing(PNG.subarray(0, 99), sized(PNG)),
      then: interrupted("short"),
    },
    {
      when: "a close-delimited body was cut (nobody tells)",
      respond: closing(PNG.subarray(0, 99)),
      then: interrupted("unverified-length"),
    },
    {
      when: "nobody can tell whether a close-delimited MP3 is whole",
      respond: closing(bytesOf("sound.mp3")),
      then: interrupted("unverified-length"),
    },
    { when: "nothing comes", respond: sized(Buffer.alloc(0)), then: interrupted("empty") },
    {
      when: "the sender falls silent",
      respond: dripping(PNG.subarray(0, 99), 0, 60_000),
      then: interrupted("stalled"),
    },
    { when: "the sender never answers", respond: () => undefined, then: interrupted("headers-timeout") },
    { when: "the sender drips", respond: dripping(PNG.subarray(0, 99), 10, 50), then: interrupted("too-slow") },
    {
      when: "the answer is compressed",
      respond: sized(PNG, { "content-encoding": "gzip" }),
      then: interrupted("encoded-answer"),
    },
    {
      when: "the sender asks to come later",
      respond: ((_, response) => void response.writeHead(503, { "retry-after": "20" }).end()) satisfies Respond,
      then: interrupted("status-503", 20_000),
    },
    {
      when: "it leads to a host that is not allowed",
      respond: ((_, response) =>
        void response.writeHead(302, { location: "http://127.0.0.1:9/x" }).end()) satisfies Respond,
      then: interrupted("guard-host"),
    },
  ])("$when", async ({ respond, then }) => {
    const order = orderOf([output(serve(respond))]);
    expect(await fetchOnce(workshop(), order)).toEqual(then);
    expect(
      (await workshop().keys()).filter((key) => key.startsWith("assets/") && key.includes(order.attempt.id)),
    ).toEqual([]);
  });

  test("the deadline of the fetch is up", async () => {
    const order = orderOf([output(serve(dripping(bigWave(200_000), 5_000, 50)))]);
    expect(await fetchOnce(workshop(), order, 1)).toEqual(interrupted("deadline"));
  });

  test("the output is shorter than the provider said", async () => {
    const order = orderOf([output(serve(sized(PNG)), { bytes: PNG.length + 1 })]);
    expect(await fetchOnce(workshop(), order)).toEqual(interrupted("short"));
  });

  test("nothing listens there", async () => {
    const closed = await startSender();
    await closed.close();
    const other = makeWorkshop({ accessTo: () => loopbackAccess([closed.port]) });
    expect(await fetchOnce(other, orderOf([output(`${closed.origin}/x`)]))).toEqual(interrupted("connect-refused"));
    await other.close();
  });

  test("the provider is gone", async () => {
    const other = makeWorkshop({ accessTo: () => undefined });
    const order = orderOf([output(serve(sized(PNG)))]);
    expect(await fetchOnce(other, order)).toEqual(interrupted("provider-unavailable"));
    await other.close();
  });
});

test.each([403, 404, 410])("an output that is answered %d has expired", async (status) => {
  const order = orderOf([output(serve((_, response) => void response.writeHead(status).end()))]);
  expect(await fetchOnce(workshop(), order)).toEqual({ outcome: "expired" });
});
