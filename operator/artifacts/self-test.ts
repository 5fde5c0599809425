// Tries the object store before anything depends on it: the same requests as a fetch, and every byte compared.
import { randomBytes, randomUUID } from "node:crypto";
import { Interruption } from "./interruption.ts";
import type { Keys } from "./keys.ts";
import type { Objects, StoredObject } from "./store/objects.ts";
import { PART_BYTES } from "./store/transfer.ts";
import type { Uploads } from "./store/upload.ts";

export interface SelfTestDeps {
  readonly objects: Objects;
  readonly uploads: Uploads;
  readonly keys: Keys;
  readonly clear: (prefix: string, signal: AbortSignal) => Promise<void>;
}

/** Buffers that a start leaves behind stay until a collection that nothing else calls for: the large object is written and read in blocks. */
const BLOCK_BYTES = 512 * 1024;

/** Throws an Error with one sentence that names the setting to look at. Takes away what it wrote. */
export async function checkStore(deps: SelfTestDeps, signal: AbortSignal): Promise<void> {
  const place = deps.keys.probe(`${randomUUID()}/`);
  try {
    const [tail, block] = [randomBytes(1000), randomBytes(BLOCK_BYTES)];
    await tryOne(deps, `${place}small`, [tail], signal);
    // A part and a little more: the store puts it together.
    await tryOne(deps, `${place}large`, [...Array<Buffer>(PART_BYTES / BLOCK_BYTES).fill(block), tail], signal);
  } catch (error) {
    throw new Error(sentenceFor(error), { cause: error });
  } finally {
    await deps.clear(place, signal).catch(() => undefined); // the sweep comes by
  }
}

async function tryOne(
  { objects, uploads }: SelfTestDeps,
  key: string,
  blocks: readonly Buffer[],
  signal: AbortSignal,
): Promise<void> {
  const upload = uploads.begin(key, signal);
  let stored: StoredObject;
  try {
    for (const block of blocks) await upload.write(block);
    stored = await upload.finish();
  } catch (error) {
    await upload.abandon();
    throw error;
  }
  await compare(objects, stored, blocks, signal);
  await objects.copy(stored, `${key}-copy`, { mediaType: "application/octet-stream", metadata: {} }, signal);
  await compare(objects, await objects.head(`${key}-copy`, signal), blocks, signal);
}

async function compare(
  objects: Objects,
  stored: StoredObject,
  blocks: readonly Buffer[],
  signal: AbortSignal,
): Promise<void> {
  if (stored.bytes !== blocks.reduce((sum, { length }) => sum + length, 0)) throw new Interruption("store-size");
  let offset = 0;
  for (const block of blocks) {
    const read = await objects.read(stored, { offset, length: block.length }, signal);
    if (!block.equals(read)) throw new Interruption("store-bytes");
    offset += block.length;
  }
}

// What stores do that do not know the checksums of 2025: refuse them, or keep their framing as part of the object.
const MANGLED = "it does not keep exactly what is written: set `checksums` to WHEN_REQUIRED";

const ADVICE: Readonly<Record<string, string>> = {
  "store-denied": "it refuses our credentials or lacks a permission: check `credentials` and the bucket's policy",
  "store-bucket-missing": "the bucket does not exist: check `bucket` and `region`",
  "store-object-missing": "the bucket does not exist, or loses what is written: check `bucket` and `region`",
  "store-unreachable": "it does not answer: check `endpoint` and the network policy",
  "store-timeout": "it does not answer in time: check `endpoint` and the network policy",
  "store-busy": "it is overloaded",
  "store-size": MANGLED,
  "store-bytes": MANGLED,
  "store-checksum": MANGLED,
  "store-not-implemented": MANGLED,
  "store-status-400": MANGLED,
  aborted: "the check was called off",
};

function sentenceFor(error: unknown): string {
  const code = error instanceof Interruption ? error.code : "aborted";
  const why = ADVICE[code] ?? "it answers with an error: check `endpoint`, `bucket` and `credentials`";
  return `cannot use the object store: ${why} (${code})`;
}
