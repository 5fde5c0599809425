// One object's way to the store, by lib-storage's `Upload` with its edges guarded (docs/adr/0020): every request heeds the signal, a
// silent source holds nothing up, and memory is three parts.
import { AbortMultipartUploadCommand, CreateMultipartUploadCommand } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { Interruption } from "../interruption.ts";
import type { StoreClient } from "./client.ts";

/** 640 such parts are the largest output (5 GiB); the store's limit is 10,000. One transfer holds three at most. */
export const PART_BYTES = 8 * 1024 * 1024;

/** What a sender sends in tiny chunks, each of which keeps a buffer alive, is held in blocks of this size. */
const BLOCK_BYTES = 256 * 1024;

export interface Transfer {
  /** Copies the bytes; resolves when there is room for more. */
  write(chunk: Uint8Array): Promise<void>;
  /** No more will come: resolves when the store has said that it has the object. */
  end(): Promise<void>;
  /** Ends what waits for bytes and what is on its way to the store; waits so long for the end of it. Never rejects. */
  cut(): Promise<void>;
  /** Undefined: not begun at the store, as far as we know. */
  uploadId(): string | undefined;
}

export interface TransferOrder {
  readonly client: StoreClient;
  readonly key: string;
  readonly signal: AbortSignal;
  /** How long the call that takes an upload back may take, and how long `cut` waits. */
  readonly stepMs: number;
}

/**
 * `Upload.abort()` is never used: it rejects at once, while requests go on and the loop that would call the upload off waits
 * for the source. Ours ends the requests (by the signal of each) and the source; then that loop ends by itself.
 */
export function beginTransfer({ client, key, signal, stepMs }: TransferOrder): Transfer {
  const ending = new AbortController();
  const live = AbortSignal.any([signal, ending.signal]);
  const body = new PassThrough({ highWaterMark: BLOCK_BYTES });
  body.on("error", () => undefined); // it is told by `done`
  const storage = openUpload({ client, key, stepMs, signal: live }, body);
  const done = storage.done().then(
    () => undefined,
    (error: unknown) => {
      // Its errors that are not ours are about answers that lack something.
      const why = error instanceof Interruption ? error : new Interruption("store-answer");
      ending.abort(why); // nobody takes bytes any more
      throw live.reason;
    },
  );
  done.catch(() => undefined);

  const blocks = makeBlocks(async (block) => {
    live.throwIfAborted();
    if (body.write(block)) return;
    await once(body, "drain", { signal: live }).catch(() => {
      live.throwIfAborted();
      return done; // lib-storage has left the source, and will say why
    });
  });

  return {
    write: (chunk) => blocks.add(chunk),
    async end() {
      await blocks.flush();
      body.end();
      await done;
    },
    async cut() {
      const why = new Interruption("not-needed");
      ending.abort(why);
      body.destroy(why);
      await settled(done, stepMs);
    },
    uploadId: () => storage.uploadId,
  };
}

function openUpload({ client, key, signal, stepMs }: TransferOrder, body: PassThrough): Upload {
  const late = after(signal, stepMs);
  return new Upload({
    client: client.sender(async (command, call) => {
      // Without the answer to this one nobody knows what to call off.
      if (command instanceof CreateMultipartUploadCommand) return call(late);
      if (!(command instanceof AbortMultipartUploadCommand)) return call(signal);
      // Must be sent when the signal has ended too. Its failure must not hide what it is sent for; the upload is called off again.
      return call(AbortSignal.timeout(stepMs), stepMs).catch(() => undefined);
    }),
    // Goes with every request: a checksum of the whole object has no place here.
    params: {
      ...{ Bucket: client.bucket, Key: key, Body: body },
      ...(client.hasChecksums && { ChecksumType: "FULL_OBJECT" }),
    },
    ...{ queueSize: 1, partSize: PART_BYTES, leavePartsOnError: false },
  });
}

/** Ends so long after the other. */
function after(signal: AbortSignal, afterMs: number): AbortSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", () => setTimeout(end, afterMs).unref(), { once: true });
  return controller.signal;
}

interface Blocks {
  add(chunk: Uint8Array): Promise<void>;
  flush(): Promise<void>;
}

function makeBlocks(hand: (block: Buffer) => Promise<void>): Blocks {
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let filled = 0;
  const flush = async (): Promise<void> => {
    const full = block.subarray(0, filled);
    block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    filled = 0;
    if (full.length > 0) await hand(full);
  };
  return {
    async add(chunk) {
      for (let taken = 0; taken < chunk.byteLength;) {
        const piece = chunk.subarray(taken, taken + BLOCK_BYTES - filled);
        block.set(piece, filled);
        filled += piece.byteLength;
        taken += piece.byteLength;
        if (filled === BLOCK_BYTES) await flush();
      }
    },
    flush,
  };
}

async function settled(work: Promise<unknown>, limitMs: number): Promise<void> {
  const limit = new AbortController();
  const nothing = (): undefined => undefined;
  await Promise.race([work.catch(nothing), wait(limitMs, undefined, { signal: limit.signal }).catch(nothing)]);
  limit.abort();
}
