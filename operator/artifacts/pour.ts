// Streams one source into one upload: counts, hashes, looks at the first bytes, and gives up what is too large or too slow.
import { createHash } from "node:crypto";
import type { Ending } from "./ending.ts";
import { interrupted, unusable } from "./ending.ts";
import type { Cutoff } from "./cutoff.ts";
import { SNIFF_BYTES, sniff } from "./media-type.ts";
import type { SniffedType } from "./media-type.ts";
import { makePace } from "./pace.ts";
import type { Pace } from "./pace.ts";
import type { ArtifactLimits } from "./limits.ts";
import type { Source } from "./source.ts";
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
  readonly maxBytes: number;
  readonly limits: ArtifactLimits;
  /** Cut when the sender stalls. */
  readonly cutoff: Cutoff;
  /** Told of every chunk; true when all outputs together have become too many bytes. */
  readonly count: (bytes: number) => boolean;
}

const NO_MEDIA = "it is no image, sound or video of a known format";

export async function pour(source: Source, upload: Upload, order: PourOrder): Promise<Poured | Ending> {
  const { name, maxBytes, limits, cutoff, count } = order;
  const hash = createHash("sha256");
  const pace = makePace(limits);
  const stopWatch = watch(pace, limits, cutoff);
  const first = makeFirstBytes();
  let bytes = 0;
  try {
    for await (const chunk of paced(source.chunks, pace)) {
      if (first.take(chunk) === "no-media") return unusable(name, NO_MEDIA);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) return unusable(name, `it is larger than ${maxBytes} bytes`);
      if (count(chunk.byteLength)) return unusable(name, `all outputs together exceed ${limits.totalBytes} bytes`);
      hash.update(chunk);
      await upload.write(chunk);
    }
  } finally {
    stopWatch();
  }
  if (bytes === 0) return interrupted("empty");
  const type = first.type();
  return type ? { outcome: "poured", bytes, sha256: hash.digest("hex"), type } : unusable(name, NO_MEDIA);
}

interface FirstBytes {
  /** `no-media` as soon as that is certain: a web page is refused before it is read to its end. */
  take(chunk: Uint8Array): "no-media" | "open";
  type(): SniffedType | undefined;
}

function makeFirstBytes(): FirstBytes {
  let head: Buffer = Buffer.alloc(0);
  return {
    take(chunk) {
      if (head.length >= SNIFF_BYTES) return "open";
      head = Buffer.concat([head, chunk.subarray(0, SNIFF_BYTES)]);
      return head.length >= SNIFF_BYTES && !sniff(head) ? "no-media" : "open";
    },
    type: () => sniff(head),
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
