// Copies what was verified to where it stays, inside the store, and makes sure that the copies are the same.
import type { AssetStatus } from "../task/resource.ts";
import type { FetchOrder } from "../reconcile/ports.ts";
import { Interruption } from "./interruption.ts";
import type { AssetFacts } from "./judge-asset.ts";
import type { Keys } from "./keys.ts";
import type { Staged } from "./stage.ts";
import type { Objects } from "./store/objects.ts";

export interface Verified {
  readonly name: string;
  readonly staged: Staged;
  readonly facts: AssetFacts;
}

export interface Publisher {
  readonly objects: Objects;
  readonly keys: Keys;
  readonly bucket: string;
}

/**
 * Only what was verified is copied: each copy names the version it was made from. Afterwards exactly these objects lie at the
 * attempt's place, also when an earlier, interrupted fetch had named them otherwise. Throws Interruptions.
 */
export async function publish(
  { objects, keys, bucket }: Publisher,
  { task, attempt }: FetchOrder,
  outputs: readonly Verified[],
  signal: AbortSignal,
): Promise<readonly AssetStatus[]> {
  const place = keys.publishedBy(task.key, attempt.id);
  const metadata = { attempt: attempt.id, namespace: task.namespace, task: task.name };
  const assets = await Promise.all(
    outputs.map(async ({ name, staged, facts }): Promise<AssetStatus> => {
      const key = keys.published(task.key, attempt.id, name);
      const label = { mediaType: facts.mediaType, metadata: { ...metadata, sha256: staged.sha256 } };
      await objects.copy(staged.object, key, label, signal);
      const copy = await objects.head(key, signal);
      const isOther =
        copy.crc32 !== undefined && staged.object.crc32 !== undefined && copy.crc32 !== staged.object.crc32;
      if (copy.bytes !== staged.bytes || isOther) throw new Interruption("store-copy");
      return assetOf(name, `s3://${bucket}/${key}`, staged, facts);
    }),
  );

  const wanted = new Set(outputs.map(({ name }) => `${place}${name}`));
  for await (const { key } of objects.list(place, signal)) {
    if (!wanted.has(key)) await objects.remove(key, signal);
  }
  return assets;
}

function assetOf(name: string, uri: string, { bytes, sha256 }: Staged, facts: AssetFacts): AssetStatus {
  const { mediaType, width, height, durationMs } = facts;
  return {
    name,
    uri,
    mediaType,
    bytes,
    sha256,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(durationMs !== undefined && { durationMs }),
  };
}
