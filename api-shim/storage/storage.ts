// Short-lived signed URLs for single objects: bytes never pass through the shim. Signing is arithmetic; the store is not asked.
import { randomUUID } from "node:crypto";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { StoreAddress } from "../../operator/variables.ts";
import { Problem } from "../problems.ts";

export interface StorageSettings extends StoreAddress {
  readonly downloadSeconds: number;
  readonly uploadSeconds: number;
  readonly uploadReadSeconds: number;
}

export interface UploadWish {
  readonly namespace: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Of the content, in hex; the store refuses any other then. */
  readonly sha256: string | undefined;
}

export interface Upload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: string;
  readonly uri: string;
  readonly readUrl: string;
  readonly readUrlExpiresAt: string;
}

/** Everything throws Problem. */
export interface Storage {
  /** For one published asset of a task in this namespace; undefined when the address is none of this namespace's. */
  downloadUrl(
    namespace: string,
    asset: { readonly uri: string; readonly mediaType: string },
  ): Promise<{ readonly url: string; readonly expiresAt: string } | undefined>;
  /** Where signed URLs lead. */
  origin(): Promise<string>;
  /** For just this many bytes of this type under a key that nobody else has, once. */
  upload(wish: UploadWish): Promise<Upload>;
  close(): void;
}

export function makeStorage(settings: StorageSettings): Storage {
  const { bucket, prefix, credentials, endpoint, region, forcePathStyle } = settings;
  const client = new S3Client({
    ...{ region, forcePathStyle },
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
    // A checksum of the empty body would be signed into the URL, and refuse every other one.
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  const readUrl = (key: string, expiresIn: number, mediaType?: string): Promise<string> => {
    const command = new GetObjectCommand({
      Bucket: bucket,
      Key: key,
      ...(mediaType && { ResponseContentType: mediaType }),
    });
    return getSignedUrl(client, command, { expiresIn }).catch(unavailable);
  };

  return {
    downloadUrl: async (namespace, { mediaType, uri }) => {
      const key = keyOf(uri, bucket);
      // Status is the operator's to write; should somebody else be able to, he still reaches only his own namespace's assets.
      if (!key?.startsWith(`${prefix}assets/${namespace}/`)) return undefined;
      const expiresAt = new Date(Date.now() + settings.downloadSeconds * 1000).toISOString();
      return { url: await readUrl(key, settings.downloadSeconds, mediaType), expiresAt };
    },
    // As the client itself spells it: the bucket may stand in the path or in the host's name.
    origin: async () => new URL(await readUrl(`${prefix}assets/`, 1)).origin,
    upload: async (wish) => {
      const key = `${prefix}uploads/${wish.namespace}/${randomUUID()}`;
      const nowMs = Date.now();
      const { url, headers } = await putUrl(client, { ...wish, bucket, key, expiresIn: settings.uploadSeconds });
      return {
        url,
        headers,
        expiresAt: new Date(nowMs + settings.uploadSeconds * 1000).toISOString(),
        uri: `s3://${bucket}/${key}`,
        readUrl: await readUrl(key, settings.uploadReadSeconds),
        readUrlExpiresAt: new Date(nowMs + settings.uploadReadSeconds * 1000).toISOString(),
      };
    },
    close: () => client.destroy(),
  };
}

interface Put extends UploadWish {
  readonly bucket: string;
  readonly key: string;
  readonly expiresIn: number;
}

/** Each header that is answered is part of the signature: another length, type, checksum or a second write is refused. */
async function putUrl(client: S3Client, put: Put): Promise<Pick<Upload, "url" | "headers">> {
  const { bucket, bytes, expiresIn, key, mediaType, sha256 } = put;
  const checksum = sha256 === undefined ? undefined : Buffer.from(sha256, "hex").toString("base64");
  const headers = {
    "content-type": mediaType,
    "content-length": String(bytes),
    "if-none-match": "*",
    ...(checksum !== undefined && { "x-amz-checksum-sha256": checksum }),
  };
  const command = new PutObjectCommand({
    ...{ Bucket: bucket, Key: key, ContentType: mediaType, ContentLength: bytes, IfNoneMatch: "*" },
    ...(checksum !== undefined && { ChecksumSHA256: checksum }),
  });
  const names = new Set(Object.keys(headers));
  const signing = { expiresIn, signableHeaders: names, unhoistableHeaders: names };
  return { url: await getSignedUrl(client, command, signing).catch(unavailable), headers };
}

function keyOf(uri: string, bucket: string): string | undefined {
  const start = `s3://${bucket}/`;
  const key = uri.startsWith(start) ? uri.slice(start.length) : undefined;
  return key?.split("/").some((part) => part === "" || part === "." || part === "..") ? undefined : key;
}

function unavailable(error: unknown): never {
  const detail = "cannot sign a URL: the shim has no credentials for the object store now; try again";
  throw new Problem("storage-unavailable", { detail, retryAfterSeconds: 10 }, error);
}
