// The writes to a CreditGrant: its key, and how it stands. Bound to the version that was looked at.
import type { Clock } from "../runtime/clock.ts";
import { keyOf } from "../runtime/objects.ts";
import type { OwnWrites } from "../runtime/own-writes.ts";
import { referenceTo, type Recorder } from "../runtime/recorder.ts";
import type { Resource } from "../runtime/resources.ts";
import { statusPatch } from "../runtime/status.ts";
import { annotationPatch } from "./annotation-patch.ts";
import { conditionEvents } from "./condition-events.ts";
import { mergeConditions } from "./conditions.ts";
import { GRANT_KEY_ANNOTATION, grantUid, readGrantStatus, slimGrant, type WireGrant } from "./grant-object.ts";
import { bounded } from "./problems.ts";
import { GRANT_REASONS, type GrantReason } from "./provider-reasons.ts";

export interface GrantWritesDeps {
  readonly resource: Pick<Resource<WireGrant>, "patchStatus" | "jsonPatch">;
  readonly own: Pick<OwnWrites<WireGrant>, "wrote">;
  readonly recorder: Pick<Recorder, "record">;
  readonly clock: Clock;
}

const WRITE_MS = 15_000;
const MAX_MESSAGE = 1024;
const NONE: ReadonlySet<string> = new Set();
const ANNOUNCED: ReadonlySet<string> = new Set(["Applied"]);

/** Makes sure that the object carries its key. Throws KubeError, also when the object changed meanwhile. */
export async function pinGrant(
  deps: GrantWritesDeps,
  object: WireGrant,
  signal: AbortSignal,
): Promise<{ readonly pinned: WireGrant; readonly uid: string }> {
  const known = grantUid(object);
  if (known !== undefined) return { pinned: object, uid: known };

  const { namespace, name, uid = "" } = object.metadata;
  const operations = annotationPatch(object.metadata, GRANT_KEY_ANNOTATION, `${namespace}/${name}/${uid}`);
  const options = { signal, timeoutMs: WRITE_MS };
  const pinned = slimGrant(await deps.resource.jsonPatch(keyOf(object), operations, options));
  deps.own.wrote(pinned);
  return { pinned, uid };
}

export type GrantStanding =
  | { readonly reason: "GrantApplied"; readonly transactionId: string }
  | { readonly reason: Exclude<GrantReason, "GrantApplied">; readonly message: string };

/** Writes nothing when status says so already. Throws KubeError; Conflict when the object changed meanwhile. */
export async function reportGrant(
  deps: GrantWritesDeps,
  { object, ...standing }: GrantStanding & { readonly object: WireGrant },
  signal: AbortSignal,
): Promise<void> {
  const previous = readGrantStatus(object.status);
  const { generation, resourceVersion } = object.metadata;
  const isApplied = standing.reason === "GrantApplied";
  const condition = {
    type: "Applied",
    status: isApplied ? "True" : "False",
    observedGeneration: generation,
    reason: standing.reason,
    message: isApplied ? GRANT_REASONS.GrantApplied : bounded(standing.message, MAX_MESSAGE),
  } as const;
  const next = {
    observedGeneration: generation,
    applied: isApplied,
    transactionID: isApplied ? standing.transactionId : undefined,
    conditions: mergeConditions(previous.conditions, [condition], deps.clock.date()),
  };
  const status = statusPatch(object.status ?? {}, next);
  if (status === undefined) return;

  const patch = { metadata: { resourceVersion }, status };
  const written = await deps.resource.patchStatus(keyOf(object), patch, { signal, timeoutMs: WRITE_MS });
  deps.own.wrote(slimGrant(written));
  const told = { sentences: GRANT_REASONS, silent: NONE, announced: ANNOUNCED };
  for (const event of conditionEvents(previous.conditions ?? [], next.conditions, told)) {
    deps.recorder.record({ about: referenceTo(object), ...event });
  }
}
