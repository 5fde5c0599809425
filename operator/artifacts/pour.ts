// Streams one source into one upload: counts, hashes, looks at the first bytes, and gives up what is too large or too slow.
import { createHash } from "node:crypto";
import type { Output } from "../task/outcome.ts";
import type { Bandwidth } from "./bandwidth.ts";
import type { Ending } from "./ending.ts";
import { interrupted, unusable } from "./ending.ts";
import type { Cutoff } from "./cutoff.ts";
import { SNIFF_BYTES, sniff } from "./media-type.ts";
import type { SniffedType } from "./media-type.ts";
import { makePace } from "./pace.ts";
import type { Pace } from "./pace.ts";
import type { ArtifactLimits } from "./limits.ts";
import type { Source } from "./source.ts";
import { contradiction } from "./judge-asset.ts";
import type { Upload } from "./store/upload.ts";

export interface Poured {
  readonly outcome: "poured";
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  readonly type: SniffedType;
}

export interface PourOrder {
  readonly name: string;
  readonly output: Output;
  readonly maxBytes: number;
  readonly limits: ArtifactLimits;
  /** Cut when the sender stalls. */
  readonly cutoff: Cutoff;
  readonly bandwidth: Bandwidth;
  /** Told of every chunk; true when all outputs together have become too many bytes. */
  readonly count: (bytes: number) => boolean;
}

const NO_MEDIA = "it is no image, sound or video of a known format";

export async function pour(source: Source, upload: Upload, order: PourOrder): Promise<Poured | Ending> {
  const { name, maxBytes, limits, cutoff, count } = order;
  const hash = createHash("sha256");
  const pace = makePace(limits);
  const stopWatch = watch(pace, limits, cutoff);
  const first = makeFirstBytes(order.output.mediaType);
  let bytes = 0;
  try {
    for await (const chunk of paced(source.chunks, pace)) {
      const complaint = first.take(chunk);
      if (complaint !== undefined) return unusable(name, complaint);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) return unusable(name, `it is larger than ${maxBytes} bytes`);
      if (count(chunk.byteLength)) return unusable(name, `all outputs together exceed ${limits.totalBytes} bytes`);
      await order.bandwidth.spend(chunk.byteLength, cutoff.signal);
      hash.update(chunk);
      await upload.write(chunk);
    }
  } finally {
    stopWatch();
  }
  if (bytes === 0) return interrupted("empty");
  const type = first.judge();
  if (typeof type === "string") return unusable(name, type);
  return { outcome: "poured", bytes, sha256: hash.digest("hex"), type };
}

interface FirstBytes {
  /** Why the output can't be what it should be, as soon as that is certain: a web page is refused before it is read to its end. */
  take(chunk: Uint8Array): string | undefined;
  /** At the end: what the output is, or why it can't be used. */
  judge(): SniffedType | string;
}

function makeFirstBytes(announced: string | undefined): FirstBytes {
  let head: Buffer = Buffer.alloc(0);
  const judge = (): SniffedType | string => {
    const type = sniff(head);
    return type ? (contradiction(type.mediaType, announced) ?? type) : NO_MEDIA;
  };
  return {
    take(chunk) {
      if (head.length >= SNIFF_BYTES) return undefined;
      head = Buffer.concat([head, chunk.subarray(0, SNIFF_BYTES)]);
      const judged = head.length >= SNIFF_BYTES ? judge() : undefined;
      return typeof judged === "string" ? judged : undefined;
    },
    judge,
  };
}

async function* paced(chunks: AsyncIterable<Uint8Array>, pace: Pace): AsyncIterable<Uint8Array> {
  pace.wait(performance.now());
  for await (const chunk of chunks) {
    pace.got(chunk.byteLength, performance.now());
    yield chunk;
    pace.wait(performance.now());
  }
}

function watch(pace: Pace, { stallMs, windowMs }: ArtifactLimits, cutoff: Cutoff): () => void {
  const look = (): void => {
    const verdict = pace.judge(performance.now());
    if (verdict !== "fine") cutoff.cut(verdict);
  };
  const timer = setInterval(look, Math.max(10, Math.min(stallMs, windowMs) / 4));
  return () => clearInterval(timer);
}
