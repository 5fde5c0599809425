// The baseline's calls to the object store, as the operator makes them for one small output: into staging by lib-storage, looked
// at, copied to where it stays, looked at there, listed, and the staging cleared.
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  type PutObjectCommandInput,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { createHash } from "node:crypto";
import type { AssetStatus } from "../../../operator/task/resource.ts";
import type { ObjectStore } from "../../env/object-store.ts";

export interface Parcel {
  readonly attemptId: string;
  readonly taskKey: string;
  readonly name: string;
}

export interface Courier {
  keep(parcel: Parcel, bytes: Buffer): Promise<AssetStatus>;
  close(): void;
}

export function makeCourier(store: ObjectStore): Courier {
  const { accessKeyId, bucket: Bucket, endpoint, region, secretAccessKey } = store;
  const credentials = { accessKeyId, secretAccessKey };
  const s3 = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
  return {
    keep: async ({ attemptId, name, taskKey }, bytes) => {
      const staging = `staging/${attemptId}/`;
      const place = `assets/${taskKey}/${attemptId}/`;
      const [from, to] = [`${staging}0`, `${place}${name}`];
      await upload(s3, { Bucket, Key: from, Body: bytes });
      await s3.send(new HeadObjectCommand({ Bucket, Key: from, ChecksumMode: "ENABLED" }));
      const Range = `bytes=0-${bytes.byteLength - 1}`;
      const read = await s3.send(new GetObjectCommand({ Bucket, Key: from, Range }));
      await read.Body?.transformToByteArray();
      const copy = { Bucket, Key: to, CopySource: `${Bucket}/${from}`, ContentType: "image/png" };
      await s3.send(new CopyObjectCommand(copy));
      await s3.send(new HeadObjectCommand({ Bucket, Key: to, ChecksumMode: "ENABLED" }));
      await s3.send(new ListObjectsV2Command({ Bucket, Prefix: place }));
      await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: staging }));
      await s3.send(new ListObjectsV2Command({ Bucket, Prefix: staging }));
      await s3.send(new DeleteObjectCommand({ Bucket, Key: from }));
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return { name, uri: `s3://${Bucket}/${to}`, mediaType: "image/png", bytes: bytes.byteLength, sha256 };
    },
    close: () => s3.destroy(),
  };
}

const TRIES = 5;

/**
 * versitygw takes away a folder with its last object, and an upload that makes its own folder below just then is refused with 409
 * (posix.go of v1.8.0: whatever stops `mkdirAll` has this name). It is nothing of S3, and the operator tries again too.
 */
async function upload(client: S3Client, params: PutObjectCommandInput, tries = TRIES): Promise<void> {
  try {
    await new Upload({ client, params }).done();
  } catch (error) {
    if (tries <= 1 || !(error instanceof Error) || error.name !== "ExistingObjectIsDirectory") throw error;
    await upload(client, params, tries - 1);
  }
}
