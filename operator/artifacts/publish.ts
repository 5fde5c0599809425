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
 * Only what was verified is copied: each copy names the version it was made from. Nothing is taken away here, what an earlier,
 * interrupted fetch had named otherwise neither: its writer cannot know whether it was deposed meanwhile. Throws Interruptions.
 */
export async function publish(
  { objects, keys, bucket }: Publisher,
  { task, attempt }: FetchOrder,
  outputs: readonly Verified[],
  signal: AbortSignal,
): Promise<readonly AssetStatus[]> {
  const metadata = { attempt: attempt.id, namespace: task.namespace, task: task.name };
  return Promise.all(
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
