// Writes one object of unknown length through one buffer of fixed size. Our own rather than lib-storage's `Upload`:
// every request heeds the signal, the upload is called off before we return, and memory is one part (docs/adr/0020).
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import type { CompletedPart } from "@aws-sdk/client-s3";
import { crc32 } from "node:zlib";
import { Interruption } from "../interruption.ts";
import type { StoreClient } from "./client.ts";
import type { Objects, StoredObject } from "./objects.ts";

/** The memory of one upload. 640 such parts are the largest output (5 GiB); the store's limit is 10,000. */
export const PART_BYTES = 8 * 1024 * 1024;

/** How long calling off an upload may take, also when the fetch itself is aborted. */
const ABANDON_MS = 10_000;

export interface Upload {
  /** Copies the bytes; resolves when there is room for more. */
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
  /** `buffer` is `PART_BYTES` long and belongs to the upload until it has finished or is abandoned. */
  begin(key: string, buffer: Buffer, signal: AbortSignal): Upload;
  list(prefix: string, signal: AbortSignal): AsyncIterable<ListedUpload>;
  abort(upload: Omit<ListedUpload, "initiatedAt">, signal: AbortSignal): Promise<void>;
}

/** `onLeft` is told of an upload that could not be called off. */
export function makeUploads(client: StoreClient, objects: Objects, onLeft: () => void): Uploads {
  return {
    begin: (key, buffer, signal) => beginUpload({ client, objects, key, signal, onLeft }, buffer),
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
}

function beginUpload(target: Target, buffer: Buffer): Upload {
  const parts: CompletedPart[] = [];
  let uploadId: string | undefined;
  let filled = 0;
  let bytes = 0;
  let crc = 0;

  const flush = async (): Promise<void> => {
    uploadId ??= await create(target);
    const part = buffer.subarray(0, filled);
    parts.push(await putPart(target, { uploadId, number: parts.length + 1, part }));
    filled = 0;
  };

  return {
    async write(chunk) {
      crc = crc32(chunk, crc);
      bytes += chunk.byteLength;
      for (let taken = 0; taken < chunk.byteLength;) {
        if (filled === buffer.length) await flush();
        const piece = chunk.subarray(taken, taken + buffer.length - filled);
        buffer.set(piece, filled);
        filled += piece.byteLength;
        taken += piece.byteLength;
      }
    },
    async finish() {
      const whole = { bytes, crc32: target.client.hasChecksums ? base64(crc) : undefined };
      if (uploadId === undefined) return put(target, buffer.subarray(0, filled), whole);
      if (filled > 0) await flush();
      const stored = await complete(target, { uploadId, parts, ...whole });
      uploadId = undefined;
      return stored;
    },
    async abandon() {
      if (uploadId === undefined) return;
      const started = { key: target.key, uploadId };
      await abort(target.client, started, AbortSignal.timeout(ABANDON_MS)).catch(target.onLeft);
    },
  };
}

async function create({ client, key, signal }: Target): Promise<string> {
  const command = new CreateMultipartUploadCommand({
    Bucket: client.bucket,
    Key: key,
    ...(client.hasChecksums && { ChecksumAlgorithm: "CRC32", ChecksumType: "FULL_OBJECT" }),
  });
  const { UploadId } = await client.call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }));
  if (UploadId === undefined) throw new Interruption("store-answer");
  return UploadId;
}

interface Part {
  readonly uploadId: string;
  readonly number: number;
  readonly part: Buffer;
}

async function putPart({ client, key, signal }: Target, { uploadId, number, part }: Part): Promise<CompletedPart> {
  const command = new UploadPartCommand({
    Bucket: client.bucket,
    Key: key,
    UploadId: uploadId,
    PartNumber: number,
    Body: part,
    ContentLength: part.length,
  });
  const { ETag, ChecksumCRC32 } = await client.call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }));
  return { PartNumber: number, ETag, ...(ChecksumCRC32 !== undefined && { ChecksumCRC32 }) };
}

interface Whole {
  readonly bytes: number;
  readonly crc32: string | undefined;
}

async function put({ client, objects, key, signal }: Target, body: Buffer, whole: Whole): Promise<StoredObject> {
  const command = new PutObjectCommand({
    Bucket: client.bucket,
    Key: key,
    Body: body,
    ContentLength: body.length,
    ...(whole.crc32 !== undefined && { ChecksumCRC32: whole.crc32 }),
  });
  await client.call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }));
  return confirm(await objects.head(key, signal), whole);
}

interface Completion extends Whole {
  readonly uploadId: string;
  readonly parts: readonly CompletedPart[];
}

/** A lost answer to a completion that took effect is answered "no such upload" on the repeat: the object itself decides. */
async function complete({ client, objects, key, signal }: Target, order: Completion): Promise<StoredObject> {
  const command = new CompleteMultipartUploadCommand({
    Bucket: client.bucket,
    Key: key,
    UploadId: order.uploadId,
    MultipartUpload: { Parts: [...order.parts] },
    ...(order.crc32 !== undefined && { ChecksumCRC32: order.crc32, ChecksumType: "FULL_OBJECT" }),
  });
  try {
    await client.call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }));
  } catch (error) {
    const mayBeDone = error instanceof Interruption && error.code === "store-upload-missing";
    if (!mayBeDone || order.crc32 === undefined) throw error;
  }
  return confirm(await objects.head(key, signal), order);
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
