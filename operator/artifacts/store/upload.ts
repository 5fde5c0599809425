// Writes objects of unknown length and makes sure that the store has just what was written, or nothing (docs/adr/0020). How
// the bytes get there is up to transfer.ts.
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from "@aws-sdk/client-s3";
import { crc32 } from "node:zlib";
import { Interruption } from "../interruption.ts";
import type { StoreClient } from "./client.ts";
import type { Objects, StoredObject } from "./objects.ts";
import { beginTransfer } from "./transfer.ts";

/** How long each of the steps of calling off an upload may take, also when the fetch itself is aborted. */
const STEP_MS = 5_000;

export interface Upload {
  /** Copies the bytes; resolves when there is room for more. Rejects with the signal's reason, or an Interruption. */
  write(chunk: Uint8Array): Promise<void>;
  /** The object is there and is what was written, by size and (if the store has it) CRC-32. Throws an Interruption else. */
  finish(): Promise<StoredObject>;
  /** Calls the upload off at the store. Never throws; what could not be called off is left to the sweep. */
  abandon(): Promise<void>;
}

export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly initiatedAt: Date;
}

export interface Uploads {
  /** Must be finished or abandoned. */
  begin(key: string, signal: AbortSignal): Upload;
  list(prefix: string, signal: AbortSignal): AsyncIterable<ListedUpload>;
  abort(upload: Omit<ListedUpload, "initiatedAt">, signal: AbortSignal): Promise<void>;
}

/** `onLeft` is told of an upload that could not be called off within two steps of `stepMs`. */
export function makeUploads(client: StoreClient, objects: Objects, onLeft: () => void, stepMs = STEP_MS): Uploads {
  return {
    begin: (key, signal) => beginUpload({ client, objects, key, signal, onLeft, stepMs }),
    list: (prefix, signal) => list(client, prefix, signal),
    abort: (upload, signal) => abort(client, upload, signal),
  };
}

interface Target {
  readonly client: StoreClient;
  readonly objects: Objects;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly onLeft: () => void;
  readonly stepMs: number;
}

function beginUpload(target: Target): Upload {
  const { client, objects, key, signal, onLeft, stepMs } = target;
  const transfer = beginTransfer({ client, key, signal, stepMs });
  let bytes = 0;
  let crc = 0;

  return {
    async write(chunk) {
      crc = crc32(chunk, crc);
      bytes += chunk.byteLength;
      await transfer.write(chunk);
    },
    async finish() {
      const whole = { bytes, crc32: client.hasChecksums ? base64(crc) : undefined };
      try {
        await transfer.end();
      } catch (error) {
        const stored = await findWhole(target, whole);
        if (stored === undefined) throw error;
        return stored;
      }
      return confirm(await objects.head(key, signal), whole);
    },
    async abandon() {
      await transfer.cut();
      const uploadId = transfer.uploadId();
      if (uploadId === undefined) return;
      // lib-storage has sent one, whose failure it may have kept to itself.
      await abort(client, { key, uploadId }, AbortSignal.timeout(stepMs)).catch(onLeft);
    },
  };
}

interface Whole {
  readonly bytes: number;
  readonly crc32: string | undefined;
}

/**
 * An answer can get lost of an order that took effect: then the object itself decides. Only with a checksum: an earlier fetch
 * of the same attempt may have left another object of the same size.
 */
async function findWhole({ objects, key, signal }: Target, whole: Whole): Promise<StoredObject | undefined> {
  if (whole.crc32 === undefined) return undefined;
  const stored = await objects.head(key, signal).catch(() => undefined);
  return stored?.bytes === whole.bytes && stored.crc32 === whole.crc32 ? stored : undefined;
}

function confirm(stored: StoredObject, whole: Whole): StoredObject {
  if (stored.bytes !== whole.bytes) throw new Interruption("store-size");
  const isOther = stored.crc32 !== undefined && whole.crc32 !== undefined && stored.crc32 !== whole.crc32;
  if (isOther) throw new Interruption("store-checksum");
  return stored;
}

async function abort(
  client: StoreClient,
  { key, uploadId }: Omit<ListedUpload, "initiatedAt">,
  signal: AbortSignal,
): Promise<void> {
  const command = new AbortMultipartUploadCommand({ Bucket: client.bucket, Key: key, UploadId: uploadId });
  try {
    await client.call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }));
  } catch (error) {
    if (!(error instanceof Interruption && error.code === "store-upload-missing")) throw error;
  }
}

async function* list(client: StoreClient, Prefix: string, signal: AbortSignal): AsyncIterable<ListedUpload> {
  let marker: { KeyMarker: string; UploadIdMarker: string } | undefined;
  do {
    const command = new ListMultipartUploadsCommand({ Bucket: client.bucket, Prefix, ...marker });
    const page = await client.call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }));
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key !== undefined && UploadId !== undefined) {
        yield { key: Key, uploadId: UploadId, initiatedAt: Initiated ?? new Date(0) };
      }
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
    const hasMore = IsTruncated === true && NextKeyMarker !== undefined && NextUploadIdMarker !== undefined;
    marker = hasMore ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker } : undefined;
  } while (marker);
}

function base64(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString("base64");
}
