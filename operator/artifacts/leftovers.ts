// Takes away what attempts left behind: staged objects, uploads never finished, outputs of attempts that failed.
import { Interruption } from "./interruption.ts";
import type { Keys } from "./keys.ts";
import type { ArtifactLimits } from "./limits.ts";
import type { Objects } from "./store/objects.ts";
import type { Uploads } from "./store/upload.ts";

export interface LeftoverDeps {
  readonly objects: Objects;
  readonly uploads: Uploads;
  readonly keys: Keys;
  readonly limits: ArtifactLimits;
  /** What the books know of these attempts; absent: nothing. */
  readonly statesOf: (
    attemptIds: readonly string[],
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, "live" | "ended">>;
  /** Wall clock, to be compared with the store's times. */
  readonly nowMs: () => number;
}

export interface Swept {
  readonly objects: number;
  readonly uploads: number;
  /** There was more than one sweep takes. */
  readonly isMore: boolean;
}

export interface Leftovers {
  /** Everything under a prefix but the objects that are to be kept; unfinished uploads too. */
  clear(prefix: string, signal: AbortSignal, isKept?: (key: string) => boolean): Promise<void>;
  sweep(signal: AbortSignal): Promise<Swept>;
}

/** How many leftovers one question to the books is about. */
const BATCH = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Leftover {
  readonly key: string;
  /** Undefined: an object. */
  readonly uploadId: string | undefined;
  readonly at: Date;
}

export function makeLeftovers(deps: LeftoverDeps): Leftovers {
  const { uploads, objects } = deps;
  const remove = ({ key, uploadId }: Leftover, signal: AbortSignal): Promise<void> =>
    uploadId === undefined ? objects.remove(key, signal) : uploads.abort({ key, uploadId }, signal);

  return {
    async clear(prefix, signal, isKept = () => false) {
      // Uploads first: one that is called off can no longer become an object.
      for await (const leftover of everything(deps, prefix, signal)) {
        if (leftover.uploadId !== undefined || !isKept(leftover.key)) await remove(leftover, signal);
      }
    },
    async sweep(signal) {
      let swept: Swept = { objects: 0, uploads: 0, isMore: false };
      let batch: Leftover[] = [];
      const finish = async (): Promise<void> => {
        const abandoned = await abandonedOf(deps, batch, signal);
        for (const leftover of abandoned) await remove(leftover, signal);
        swept = counted(swept, abandoned);
        batch = [];
      };
      for await (const leftover of everything(deps, deps.keys.staging, signal)) {
        batch.push(leftover);
        if (batch.length >= BATCH) await finish();
        if (swept.objects + swept.uploads >= deps.limits.leftoversPerSweep) return { ...swept, isMore: true };
      }
      await finish();
      return swept;
    },
  };
}

function counted(before: Swept, abandoned: readonly Leftover[]): Swept {
  const objects = abandoned.filter(({ uploadId }) => uploadId === undefined).length;
  return { ...before, objects: before.objects + objects, uploads: before.uploads + abandoned.length - objects };
}

/**
 * What nobody will look for again. An attempt that has ended needs its staging no more, however young: a process that was
 * killed or deposed may have put it there late. Of an attempt that the books do not know, only what is old is taken.
 */
async function abandonedOf(
  { keys, limits, nowMs, statesOf }: LeftoverDeps,
  leftovers: readonly Leftover[],
  signal: AbortSignal,
): Promise<readonly Leftover[]> {
  const attemptOf = ({ key }: Leftover): string => keys.attemptOf(key) ?? "";
  const attempts = [...new Set(leftovers.map(attemptOf))].filter((id) => UUID.test(id));
  const states = attempts.length === 0 ? new Map<string, never>() : await statesOf(attempts, signal);
  const oldest = nowMs() - limits.leftoverAgeMs;
  return leftovers.filter((leftover) => {
    const state = states.get(attemptOf(leftover));
    return state === "ended" || (state === undefined && leftover.at.getTime() <= oldest);
  });
}

async function* everything(
  { uploads, objects }: LeftoverDeps,
  prefix: string,
  signal: AbortSignal,
): AsyncIterable<Leftover> {
  try {
    for await (const { key, uploadId, initiatedAt } of uploads.list(prefix, signal)) {
      yield { key, uploadId, at: initiatedAt };
    }
  } catch (error) {
    // Some stores cannot list uploads; there it is up to a lifecycle rule of the bucket.
    if (!(error instanceof Interruption && error.code === "store-not-implemented")) throw error;
  }
  for await (const { key, modifiedAt } of objects.list(prefix, signal)) {
    yield { key, uploadId: undefined, at: modifiedAt };
  }
}
