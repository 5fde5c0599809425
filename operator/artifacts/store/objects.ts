// Single objects in the store: read, copy, look, list, remove.
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from "@aws-sdk/client-s3";
import { Interruption } from "../interruption.ts";
import { COPY_MS } from "./client.ts";
import type { StoreClient } from "./client.ts";

/** An object as it was when we wrote it. `crc32` is the store's own word for it: base64, of the whole object. */
export interface StoredObject {
  readonly key: string;
  readonly etag: string;
  readonly bytes: number;
  readonly crc32: string | undefined;
}

export interface Listed {
  readonly key: string;
  readonly modifiedAt: Date;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface Label {
  readonly mediaType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Objects {
  head(key: string, signal: AbortSignal): Promise<StoredObject>;
  /** Exactly `length` bytes of just this version; else an Interruption. */
  read(object: StoredObject, range: ByteRange, signal: AbortSignal): Promise<Uint8Array>;
  /** Inside the store, of just this version. */
  copy(from: StoredObject, to: string, label: Label, signal: AbortSignal): Promise<void>;
  list(prefix: string, signal: AbortSignal): AsyncIterable<Listed>;
  /** Removing what is not there is fine. */
  remove(key: string, signal: AbortSignal): Promise<void>;
}

export function makeObjects(client: StoreClient): Objects {
  const { bucket: Bucket } = client;
  return {
    async head(Key, signal) {
      const answer = await client.call(signal, (s3, abortSignal) =>
        s3.send(new HeadObjectCommand({ Bucket, Key, ...(client.hasChecksums && { ChecksumMode: "ENABLED" }) }), {
          abortSignal,
        }),
      );
      const isWhole = answer.ChecksumType === undefined || answer.ChecksumType === "FULL_OBJECT";
      return {
        key: Key,
        etag: answer.ETag ?? "",
        bytes: answer.ContentLength ?? -1,
        crc32: isWhole ? answer.ChecksumCRC32 : undefined,
      };
    },
    async read(object, { offset, length }, signal) {
      const Range = `bytes=${offset}-${offset + length - 1}`;
      const data = await client.call(signal, async (s3, abortSignal) => {
        const command = new GetObjectCommand({ Bucket, Key: object.key, Range, IfMatch: object.etag });
        const answer = await s3.send(command, { abortSignal });
        return answer.Body?.transformToByteArray();
      });
      if (data?.byteLength !== length) throw new Interruption("store-short-read");
      return data;
    },
    async copy(from, to, label, signal) {
      const command = new CopyObjectCommand({
        Bucket,
        Key: to,
        CopySource: `${Bucket}/${from.key}`.split("/").map(encodeURIComponent).join("/"),
        CopySourceIfMatch: from.etag,
        MetadataDirective: "REPLACE",
        ContentType: label.mediaType,
        ContentDisposition: "attachment",
        Metadata: label.metadata,
      });
      await client.call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }), COPY_MS);
    },
    list: (prefix, signal) => list(client, prefix, signal),
    async remove(Key, signal) {
      await client.call(signal, (s3, abortSignal) =>
        s3.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }),
      );
    },
  };
}

async function* list(client: StoreClient, Prefix: string, signal: AbortSignal): AsyncIterable<Listed> {
  for (let ContinuationToken: string | undefined; ;) {
    const command = new ListObjectsV2Command({
      Bucket: client.bucket,
      Prefix,
      ...(ContinuationToken !== undefined && { ContinuationToken }),
    });
    const page = await client.call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }));
    for (const { Key, LastModified } of page.Contents ?? []) {
      if (Key !== undefined) yield { key: Key, modifiedAt: LastModified ?? new Date(0) };
    }
    if (page.IsTruncated !== true || page.NextContinuationToken === undefined) return;
    ContinuationToken = page.NextContinuationToken;
  }
}
