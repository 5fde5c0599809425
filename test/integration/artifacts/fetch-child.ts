// A process of its own that makes one fetch, so that it can be measured and killed. Its order comes as JSON on standard input;
// its last line of output is its outcome and the most memory that it held.
import { text } from "node:stream/consumers";
import { z } from "zod";
import { makeArtifacts } from "../../../operator/artifacts/artifacts.ts";
import { loopbackAccess, orderOf, output, settings } from "./order.ts";

const Order = z.object({
  store: z.object({
    ...{
      endpoint: z.string(),
      region: z.string(),
      bucket: z.string(),
      prefix: z.string(),
      forcePathStyle: z.boolean(),
    },
    credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
    checksums: z.enum(["WHEN_SUPPORTED", "WHEN_REQUIRED"]),
  }),
  ...{ ports: z.array(z.number()), urls: z.array(z.string()), attemptId: z.string(), streams: z.number() },
});
export type ChildOrder = z.infer<typeof Order>;

export const ChildResult = z.object({
  outcome: z.object({ outcome: z.string() }).loose(),
  /** Bytes of buffers that were in use after a collection of garbage, at most, above what the process held before the fetch. */
  liveBuffers: z.number(),
  /** Bytes that the process took, at most, above what it had taken before the fetch. */
  rss: z.number(),
});

const SAMPLE_EVERY_MS = 400;

const { store, ports, urls, attemptId, streams } = Order.parse(JSON.parse(await text(process.stdin)));
const artifacts = makeArtifacts({
  store,
  limits: { streams },
  accessTo: () => loopbackAccess(ports),
  statesOf: () => Promise.resolve(new Map()),
});

const before = process.memoryUsage();
const most = { liveBuffers: 0, rss: 0 };
const sampler = setInterval(() => {
  most.rss = Math.max(most.rss, process.memoryUsage().rss - before.rss);
  // Twice: buffers that the first one finds unused are given back by the time the second one begins.
  globalThis.gc?.();
  globalThis.gc?.();
  most.liveBuffers = Math.max(most.liveBuffers, process.memoryUsage().arrayBuffers - before.arrayBuffers);
}, SAMPLE_EVERY_MS);

const outcome = await artifacts.fetch(
  orderOf(
    urls.map((url) => output(url)),
    {},
    attemptId,
  ),
  settings(120),
  new AbortController().signal,
);
clearInterval(sampler);
await artifacts.close();
console.log(JSON.stringify({ outcome, ...most }));
