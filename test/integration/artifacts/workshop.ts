// The artifacts of one test file: a place of its own in the shared bucket, and eyes to see what lies there.
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { randomUUID } from "node:crypto";
import { makeArtifacts, type ArtifactDeps, type ArtifactStore } from "../../../operator/artifacts/artifacts.ts";
import type { StoreSettings } from "../../../operator/artifacts/store/client.ts";
import type { FetchOrder } from "../../../operator/reconcile/ports.ts";
import type { FetchOutcome } from "../../../operator/task/outcome.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { settings } from "./order.ts";

export interface Seen {
  readonly bytes: Buffer;
  readonly mediaType: string | undefined;
  readonly disposition: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Workshop {
  readonly artifacts: ArtifactStore;
  readonly store: StoreSettings;
  readonly bucket: string;
  /** Keys without the file's own prefix, sorted. */
  keys(): Promise<readonly string[]>;
  /** Keys of multipart uploads that were begun and neither completed nor called off. */
  uploads(): Promise<readonly string[]>;
  see(key: string): Promise<Seen>;
  put(key: string, body: Buffer): Promise<void>;
  close(): Promise<void>;
}

export const forever = new AbortController().signal;

export function storeSettings(): StoreSettings {
  const { endpoint, region, accessKeyId, secretAccessKey, bucket } = sharedEnvironment().s3;
  return {
    ...{ endpoint, region, bucket, prefix: `artifacts-${randomUUID()}/`, forcePathStyle: true },
    credentials: { accessKeyId, secretAccessKey },
    checksums: "WHEN_SUPPORTED",
  };
}

export function makeWorkshop(deps: Partial<ArtifactDeps> & Pick<ArtifactDeps, "accessTo">): Workshop {
  const store = deps.store ?? storeSettings();
  const { bucket: Bucket, prefix: Prefix } = store;
  const artifacts = makeArtifacts({ statesOf: () => Promise.resolve(new Map()), ...deps, store });
  const client = new S3Client({
    ...{ endpoint: store.endpoint ?? "", region: store.region, forcePathStyle: true },
    ...(store.credentials && { credentials: store.credentials }),
  });
  const bare = (found: readonly { readonly Key?: string | undefined }[] | undefined): readonly string[] =>
    (found ?? []).map(({ Key }) => (Key ?? "").slice(Prefix.length)).sort();

  return {
    artifacts,
    store,
    bucket: Bucket,
    keys: async () => bare((await client.send(new ListObjectsV2Command({ Bucket, Prefix }))).Contents),
    uploads: async () => bare((await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))).Uploads),
    async see(key) {
      const answer = await client.send(new GetObjectCommand({ Bucket, Key: `${Prefix}${key}` }));
      const bytes = Buffer.from((await answer.Body?.transformToByteArray()) ?? []);
      return {
        bytes,
        mediaType: answer.ContentType,
        disposition: answer.ContentDisposition,
        metadata: answer.Metadata ?? {},
      };
    },
    async put(key, body) {
      await client.send(new PutObjectCommand({ Bucket, Key: `${Prefix}${key}`, Body: body }));
    },
    async close() {
      await artifacts.close();
      const all = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
      for (const { Key } of all.Contents ?? []) if (Key) await client.send(new DeleteObjectCommand({ Bucket, Key }));
      client.destroy();
    },
  };
}

export function fetchOnce(
  { artifacts }: Workshop,
  order: FetchOrder,
  fetchSeconds?: number,
  signal: AbortSignal = forever,
): Promise<FetchOutcome> {
  return artifacts.fetch(order, settings(fetchSeconds), signal);
}
