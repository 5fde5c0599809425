// Outputs: true bytes are served exactly, in whole or in part, to whoever holds a URL that is still good.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { call, shown } from "./calling.ts";
import { makeProvider, type Fixture } from "./fixture.ts";
import { answerOf, digestOf, firstOf, makeJob, type Made } from "./making.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeProvider();
});
afterAll(() => fixture.remove());
beforeEach(() => fixture.provider.admin.reset());

const made = (wishes: readonly unknown[]): Promise<Made> => makeJob(fixture.caller, wishes);

describe("an output", () => {
  test.each([
    { kind: "image", format: "png", mediaType: "image/png", bytes: undefined },
    { kind: "image", format: "gif", mediaType: "image/gif", bytes: 10_240 },
    { kind: "audio", format: "wav", mediaType: "audio/wav", bytes: 5_000_000 },
    { kind: "video", format: "mp4", mediaType: "video/mp4", bytes: 250_000 },
  ])("of kind $format is served byte for byte, and recorded so", async ({ kind, format, mediaType, bytes }) => {
    const { admin } = fixture.provider;
    const job = await made([{ kind, format, bytes }]);
    const output = firstOf(job);
    const expected = await admin.expected(job.id, output.name);
    const seen = answerOf(await call({ url: output.url }));

    expect({ sha256: digestOf(seen.body), bytes: seen.body.length, mediaType: seen.headers["content-type"] }).toEqual(
      expected,
    );
    expect(output).toMatchObject({ media_type: mediaType, bytes: expected.bytes });
    await admin.waitFor((event) => event.type === "output.served", AbortSignal.timeout(5_000));
    expect((await admin.record()).served).toMatchObject([
      { ...expected, jobId: job.id, complete: true, fault: "none" },
    ]);
  });

  test("differs from every other, of the same job and of another", async () => {
    const jobs = [await made([{ kind: "image" }, { kind: "image" }]), await made([{ kind: "image" }])];
    const fetched = await Promise.all(jobs.flatMap(({ outputs }) => outputs).map(({ url }) => call({ url })));
    expect(new Set(fetched.map((seen) => digestOf(answerOf(seen).body))).size).toBe(3);
  });

  test("can be fetched in parts, and only while it is the same", async () => {
    const output = firstOf(await made([{ kind: "video" }]));
    const whole = answerOf(await call({ url: output.url }));
    const etag = String(whole.headers.etag);
    const part = answerOf(await call({ url: output.url, headers: { range: "bytes=1000-1999", "if-match": etag } }));

    expect([part.status, part.headers["content-range"]]).toEqual([206, `bytes 1000-1999/${whole.body.length}`]);
    expect(part.body.equals(whole.body.subarray(1_000, 2_000))).toBe(true);
    expect(shown(await call({ url: output.url, headers: { "if-match": '"other"' } }))).toMatchObject({ status: 412 });
    expect(shown(await call({ url: output.url, headers: { range: "bytes=99999999-" } }))).toMatchObject({
      status: 416,
    });
  });

  test("tells its length to a HEAD and sends nothing", async () => {
    const output = firstOf(await made([{ kind: "image" }]));
    const head = answerOf(await call({ method: "HEAD", url: output.url }));
    expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, String(output.bytes), 0]);
    expect((await fixture.provider.admin.record()).served).toEqual([]);
  });

  test("does not tell its length where it was asked not to", async () => {
    expect(firstOf(await made([{ kind: "image", declared: "missing" }]))).not.toHaveProperty("bytes");
  });

  test("of 200 MB is streamed", async () => {
    const job = await made([{ kind: "audio", bytes: 200_000_000 }]);
    const response = await fetch(firstOf(job).url);
    const hash = createHash("sha256");
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) hash.update(chunk);
    expect(hash.digest("hex")).toBe((await fixture.provider.admin.expected(job.id, "audio-1.wav")).sha256);
  }, 60_000);

  test("is refused to a URL that was changed", async () => {
    const { url } = firstOf(await made([{ kind: "image" }]));
    expect(shown(await call({ url: url.replace(/expires=\d+/, "expires=9999999999999") }))).toMatchObject({
      status: 403,
      body: { error: { code: "bad_signature" } },
    });
  });

  test("is served without a key, and the record tells if one was sent along", async () => {
    const { url } = firstOf(await made([{ kind: "image" }]));
    await call({ url });
    await call({ url, headers: { authorization: "Bearer simulated" } });
    const { requests } = await fixture.provider.admin.record({ operation: "output" });
    expect(requests.map(({ credential }) => credential)).toEqual(["absent", "valid"]);
  });
});

describe("the URL of an output", () => {
  const queryAgain = async ({ id }: Made): Promise<string> => {
    const seen = shown(await fixture.caller.get(`/v1/jobs/${id}`)) as { body: Made };
    return firstOf(seen.body).url;
  };
  const statusOf = async (url: string): Promise<number> => answerOf(await call({ url })).status;

  test("that came expired is good after another query", async () => {
    const job = await made([{ kind: "image", fault: "expired-url" }]);
    expect(await statusOf(firstOf(job).url)).toBe(403);
    expect(await statusOf(await queryAgain(job))).toBe(200);
  });

  test.each([
    { when: "the provider does not refresh it", fault: "expired-url", refreshUrls: false },
    { when: "the output is past its time for good", fault: "always-expired", refreshUrls: true },
  ])("stays expired where $when", async ({ fault, refreshUrls }) => {
    await fixture.provider.admin.config({ refreshUrls });
    const job = await made([{ kind: "image", fault }]);
    expect(await statusOf(firstOf(job).url)).toBe(403);
    expect(await statusOf(await queryAgain(job))).toBe(403);
  });

  test("expires when the config says so", async () => {
    await fixture.provider.admin.config({ outputTtlMs: 3_600_000 });
    const { url } = firstOf(await made([{ kind: "image" }]));
    const lifeMs = Number(new URL(url).searchParams.get("expires")) - Date.now();
    expect(lifeMs).toBeGreaterThan(3_500_000);
    expect(lifeMs).toBeLessThanOrEqual(3_600_000);

    const soon = Number(
      new URL(firstOf(await made([{ kind: "image", fault: "expires-soon" }])).url).searchParams.get("expires"),
    );
    expect(soon - Date.now()).toBeLessThanOrEqual(1_000);
  });
});
