import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { FetchOutcome, Output } from "../../../operator/task/outcome.ts";
import { startProvider, type RunningProvider } from "../../provider/process.ts";
import { OutputFault } from "../../provider/schema/faultNames.ts";
import { loopbackAccess, orderOf, output } from "./order.ts";
import { fetchOnce, makeWorkshop } from "./workshop.ts";
import type { Workshop } from "./workshop.ts";

const Job = z.object({
  ...{ id: z.string(), state: z.string() },
  outputs: z.array(
    z.object({ name: z.string(), url: z.string(), media_type: z.string(), bytes: z.number().optional() }),
  ),
});
type Job = z.infer<typeof Job>;

const MAX_BYTES = 5_000_000;

let data: string;
let provider: RunningProvider;
let workshop: Workshop;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "artifacts-provider-"));
  provider = await startProvider({ data }, AbortSignal.timeout(20_000));
  workshop = makeWorkshop({
    accessTo: () => loopbackAccess([provider.port]),
    limits: { stallMs: 500, windowMs: 1_000, minBytesPerSecond: 1_000 },
  });
});

afterAll(async () => {
  await workshop.close();
  await provider.stop();
  await rm(data, { recursive: true, force: true });
});

async function call(path: string, body?: unknown): Promise<Job> {
  const answer = await fetch(`${provider.url}/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${provider.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return Job.parse({ outputs: [], ...((await answer.json()) as object) });
}

/** A finished job with these outputs, as a query tells of them. */
async function finished(
  outputs: readonly object[],
): Promise<{ readonly job: Job; readonly outputs: readonly Output[] }> {
  const simulate = { durationMs: 0, queueMs: 0, outputs };
  const { id } = await call("/jobs", { model: "acme-image-1", input: { simulate } });
  const limit = AbortSignal.timeout(10_000);
  let job = await call(`/jobs/${id}`);
  while (job.state !== "done") {
    limit.throwIfAborted();
    job = await call(`/jobs/${id}`);
  }
  const found = job.outputs.map(({ url, name, media_type, bytes }) =>
    output(url, { name, mediaType: media_type, bytes }),
  );
  return { job, outputs: found };
}

const unusable = (check: string): object => ({ outcome: "unusable", message: expect.stringMatching(check) });
const interrupted = (code: string): object => ({ outcome: "interrupted", code, retryAfterMs: undefined });
const PUBLISHED = { outcome: "published" };
const EXPIRED = { outcome: "expired" };
const NO_MEDIA = "no image, sound or video";

/** What each misbehaviour of an output leads to: when the provider tells the length, and when it does not. */
const OUTCOMES: Readonly<Record<OutputFault, readonly [told: object, untold: object]>> = {
  none: [PUBLISHED, PUBLISHED],
  "wrong-type": [PUBLISHED, PUBLISHED],
  "octet-stream": [PUBLISHED, PUBLISHED],
  "expires-soon": [PUBLISHED, PUBLISHED],
  "expired-url": [EXPIRED, EXPIRED],
  "always-expired": [EXPIRED, EXPIRED],
  "not-found": [EXPIRED, EXPIRED],
  "server-error": [interrupted("status-500"), interrupted("status-500")],
  "truncated-length": [interrupted("closed"), interrupted("closed")],
  "truncated-close": [interrupted("short"), interrupted("short")],
  "reset-midway": [interrupted("reset"), interrupted("reset")],
  "reset-once": [interrupted("reset"), interrupted("reset")],
  stall: [interrupted("stalled"), interrupted("stalled")],
  slow: [interrupted("too-slow"), interrupted("too-slow")],
  "gzip-bomb": [interrupted("encoded-answer"), interrupted("encoded-answer")],
  "redirect-private": [interrupted("guard-host"), interrupted("guard-host")],
  "redirect-metadata": [interrupted("guard-host"), interrupted("guard-host")],
  "redirect-other-host": [interrupted("guard-host"), interrupted("guard-host")],
  "redirect-other-port": [interrupted("guard-host"), interrupted("guard-host")],
  "redirect-loop": [interrupted("guard-redirects"), interrupted("guard-redirects")],
  "mislabelled-html": [unusable(NO_MEDIA), unusable(NO_MEDIA)],
  "mislabelled-wav": [
    unusable("announced as image|more bytes than"),
    unusable("it is audio/wav and was announced as image"),
  ],
  "wrong-magic": [unusable(NO_MEDIA), unusable(NO_MEDIA)],
  "corrupt-container": [unusable("reaches past the end|ends before"), unusable("reaches past the end|ends before")],
  oversized: [unusable("more bytes than"), unusable("bytes follow its end")],
  endless: [unusable(`larger than ${MAX_BYTES} bytes`), unusable(`larger than ${MAX_BYTES} bytes`)],
};

describe.each(["true", "missing"] as const)("I9: with the length of outputs told: %s", (declared) => {
  test.each(OutputFault.options)("an output that suffers %s ends as it should", async (fault) => {
    const { job, outputs } = await finished([{ kind: "image", bytes: 40_000, fault, declared }]);
    const order = orderOf(outputs, { maxBytes: MAX_BYTES });
    const outcome: FetchOutcome = await fetchOnce(workshop, order);
    const expected = OUTCOMES[fault][declared === "true" ? 0 : 1];
    expect(outcome).toEqual(expect.objectContaining(expected));

    const published = (await workshop.keys()).filter(
      (key) => key.startsWith("assets/") && key.includes(order.attempt.id),
    );
    expect(published).toHaveLength(outcome.outcome === "published" ? 1 : 0);
    expect(await workshop.uploads()).toEqual([]);
    if (outcome.outcome === "published") {
      const truth = await provider.admin.expected(job.id, job.outputs[0]?.name ?? "");
      expect(outcome.assets).toEqual([expect.objectContaining(truth)]);
    }
  });
});

test("an output whose transfer is reset once is there when the fetch is repeated", async () => {
  const { job, outputs } = await finished([{ kind: "video", faults: ["reset-once", "none"] }]);
  const order = orderOf(outputs);
  expect(await fetchOnce(workshop, order)).toEqual(interrupted("reset"));
  const truth = await provider.admin.expected(job.id, job.outputs[0]?.name ?? "");
  expect(await fetchOnce(workshop, order)).toEqual({ outcome: "published", assets: [expect.objectContaining(truth)] });
});

test("every kind and format is published with its size and duration", async () => {
  const { job, outputs } = await finished([
    { kind: "image", format: "png" },
    { kind: "image", format: "gif" },
    { kind: "audio", format: "wav" },
    { kind: "video", format: "mp4", bytes: 12_000_000 },
  ]);
  const outcome = await fetchOnce(workshop, orderOf(outputs));
  const truths = await Promise.all(job.outputs.map(({ name }) => provider.admin.expected(job.id, name)));
  const picture = { width: expect.any(Number), height: expect.any(Number) };
  const lasting = { durationMs: expect.any(Number) };
  expect(outcome).toEqual({
    outcome: "published",
    assets: [picture, picture, lasting, { ...picture, ...lasting }].map((more, index) =>
      expect.objectContaining({ ...truths[index], ...more }),
    ),
  });
});
