import { describe, expect, test } from "@jest/globals";
import { bytesOf } from "../../unit/artifacts/samples.ts";
import { bigWave } from "./big-wave.ts";
import { makeFixture } from "./fixture.ts";
import { chunked, endless, sized } from "./sender.ts";
import { orderOf, output } from "./order.ts";
import { fetchOnce } from "./workshop.ts";

const PNG = bytesOf("image.png");
const unusable = (check: string) => ({ outcome: "unusable", message: `output-0 is not usable: ${check}` });
const { workshop, serve } = makeFixture({ totalBytes: 40_000_000 });

describe("what is not what it should be is unusable", () => {
  const page = Buffer.from(`<!doctype html><title>Sign in</title>${" ".repeat(500)}`);
  const cutPng = PNG.subarray(0, 200);

  test.each([
    {
      when: "a web page",
      respond: sized(page),
      more: { mediaType: "image/png" },
      then: "it is no image, sound or video of a known format",
    },
    {
      when: "a short web page in place of a long output",
      respond: sized(page),
      more: { bytes: 100_000 },
      then: "it is no image, sound or video of a known format",
    },
    {
      when: "sound in place of a picture",
      respond: sized(bytesOf("sound.wav")),
      more: { mediaType: "image/png" },
      then: "it is audio/wav and was announced as image",
    },
    {
      when: "a file that was cut before it was sent",
      respond: sized(cutPng),
      more: {},
      then: "its chunk at byte 54 reaches past the end",
    },
    {
      when: "more bytes than announced",
      respond: sized(PNG),
      more: { bytes: 274 },
      then: "it has more bytes than the 274 that the provider announced",
    },
    {
      when: "more bytes than announced, in chunks",
      respond: chunked(PNG),
      more: { bytes: 274 },
      then: "it has more bytes than the 274 that the provider announced",
    },
  ])("$when", async ({ respond, more, then }) => {
    expect(await fetchOnce(workshop(), orderOf([output(serve(respond), more)]))).toEqual(unusable(then));
  });

  test("a length over the cap is refused before a byte of it is read", async () => {
    const url = serve((_, response) => void response.writeHead(200, { "content-length": 10_000_000_000 }).write(PNG));
    const order = orderOf([output(url)], { maxBytes: 5_000_000_000 });
    expect(await fetchOnce(workshop(), order)).toEqual(unusable("it is larger than 5000000000 bytes"));
  });

  test("an endless body is refused at the cap, by the bytes that came", async () => {
    const order = orderOf([output(serve(endless(bigWave(1000))))], { maxBytes: 9_000_000 });
    expect(await fetchOnce(workshop(), order)).toEqual(unusable("it is larger than 9000000 bytes"));
    expect(await workshop().uploads()).toEqual([]);
  });

  test("all outputs together have a cap too", async () => {
    const outputs = [0, 1, 2].map(() => output(serve(endless(bigWave(1000)))));
    expect(await fetchOnce(workshop(), orderOf(outputs))).toEqual({
      outcome: "unusable",
      message: expect.stringMatching(/^output-[012] is not usable: all outputs together exceed 40000000 bytes$/),
    });
  });

  test.each([
    { count: 1, minCount: 2, message: "the set of outputs is not usable: there are 1, and spec.output.minCount is 2" },
    { count: 65, minCount: 1, message: "the set of outputs is not usable: there are more than 64" },
  ])("$count outputs where at least $minCount are wished for", async ({ count, minCount, message }) => {
    const outputs = Array.from({ length: count }, () => output(serve(sized(PNG))));
    expect(await fetchOnce(workshop(), orderOf(outputs, { minCount }))).toEqual({ outcome: "unusable", message });
  });

  test("no message holds a URL", async () => {
    const url = `${serve(sized(page))}?signature=secret`;
    expect(JSON.stringify(await fetchOnce(workshop(), orderOf([output(url)])))).not.toMatch(/secret|127\.0\.0\.1/);
  });
});
