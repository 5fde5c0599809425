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
/** For taking away what was written, also when the test itself was called off. */
const CLEAR_MS = 5_000;
/** A store may still do what it was asked when the question is cut off: a request that is called off gets so long to end by itself. */
const END_MS = 1_000;

/** Throws an Error with one sentence that names the setting to look at. Takes away what it wrote. */
export async function checkStore(deps: SelfTestDeps, signal: AbortSignal): Promise<void> {
  const place = deps.keys.probe(`${randomUUID()}/`);
  const patience = patient(signal);
  try {
    const [tail, block] = [randomBytes(1000), randomBytes(BLOCK_BYTES)];
    await tryOne(deps, `${place}small`, [tail], patience);
    // A part and a little more: the store puts it together.
    await tryOne(deps, `${place}large`, [...Array<Buffer>(PART_BYTES / BLOCK_BYTES).fill(block), tail], patience);
  } catch (error) {
    throw new Error(sentenceFor(error), { cause: error });
  } finally {
    patience.end();
    await deps.clear(place, AbortSignal.timeout(CLEAR_MS)).catch(() => undefined); // the sweep comes by
  }
}

interface Patience {
  /** Asked before an upload and before a copy: not another one, when the test is called off. */
  readonly stop: AbortSignal;
  /** Of the requests: a while later. */
  readonly cut: AbortSignal;
  end(): void;
}

function patient(stop: AbortSignal): Patience {
  const cut = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    timer = setTimeout(() => cut.abort(stop.reason), END_MS);
  };
  stop.addEventListener("abort", onStop, { once: true });
  const end = (): void => {
    stop.removeEventListener("abort", onStop);
    clearTimeout(timer);
  };
  return { stop, cut: cut.signal, end };
}

async function tryOne(
  { objects, uploads }: SelfTestDeps,
  key: string,
  blocks: readonly Buffer[],
  { stop, cut: signal }: Patience,
): Promise<void> {
  stop.throwIfAborted();
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
  stop.throwIfAborted();
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
