// What the tasks have made: where it is, whether it is what the provider made, and a few files to look at.
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AssetStatus } from "../../operator/task/resource.ts";
import type { ObjectStore } from "../env/object-store.ts";
import type { SeenTask } from "../operator/watcher.ts";
import { gridOf } from "./grid.ts";

export interface Downloaded {
  readonly path: string;
  /** Of the bytes that came, not of what anybody says. */
  readonly sha256: string;
}

export interface Asset extends AssetStatus {
  readonly task: string;
}

export function assetsOf(tasks: readonly SeenTask[]): readonly Asset[] {
  return tasks.flatMap(({ metadata, status }) =>
    (status?.assets ?? []).map((asset) => ({ ...asset, task: metadata.name })),
  );
}

export function assetLines(assets: readonly Asset[]): readonly string[] {
  const rows = assets.map(({ bytes, mediaType, task, uri }) => [task, mediaType, String(bytes), uri]);
  return gridOf([["TASK", "TYPE", "BYTES", "WHERE"], ...rows], { rightFrom: 2, rightTo: 2 });
}

/** One of each media type, the first one of each. */
export function oneOfEachType(assets: readonly Asset[]): readonly Asset[] {
  const types = new Set(assets.map(({ mediaType }) => mediaType));
  return [...types].flatMap((type) => assets.find(({ mediaType }) => mediaType === type) ?? []);
}

/** Downloads what an S3 client gets into the folder. */
export async function download(
  assets: readonly Asset[],
  store: ObjectStore,
  folder: string,
): Promise<readonly Downloaded[]> {
  const { accessKeyId, endpoint, region, secretAccessKey } = store;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await mkdir(folder, { recursive: true });
  try {
    return await Promise.all(
      assets.map(async ({ name, task, uri }) => {
        const { hostname, pathname } = new URL(uri);
        const key = decodeURIComponent(pathname.slice(1));
        const { Body } = await client.send(new GetObjectCommand({ Bucket: hostname, Key: key }));
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
        const path = join(folder, `${task}-${name}`);
        await writeFile(path, bytes);
        return { path, sha256: createHash("sha256").update(bytes).digest("hex") };
      }),
    );
  } finally {
    client.destroy();
  }
}
