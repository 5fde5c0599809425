// Writes how a provider stands: one status patch when something differs, and an event for each condition that flipped.
import type { Clock } from "../runtime/clock.ts";
import { keyOf } from "../runtime/objects.ts";
import type { OwnWrites } from "../runtime/own-writes.ts";
import { referenceTo, type Recorder } from "../runtime/recorder.ts";
import type { Resource } from "../runtime/resources.ts";
import { statusPatch } from "../runtime/status.ts";
import type { ProviderStatus } from "../task/provider-resource.ts";
import { conditionEvents } from "./condition-events.ts";
import { mergeConditions, type ConditionWanted } from "./conditions.ts";
import { readProviderStatus, slimProvider, type WireProvider } from "./provider-object.ts";
import { PROVIDER_REASONS, type ProviderReason } from "./provider-reasons.ts";

export interface ProviderStatusDeps {
  readonly resource: Pick<Resource<WireProvider>, "patchStatus">;
  readonly own: Pick<OwnWrites<WireProvider>, "wrote">;
  readonly counts: (
    name: string,
    signal: AbortSignal,
  ) => Promise<{ readonly inFlight: number; readonly waiting: number }>;
  readonly recorder: Pick<Recorder, "record">;
  readonly clock: Clock;
}

const WRITE_MS = 15_000;

/** What Ready says after another condition, which says it in more words. */
const ECHOES: readonly ProviderReason[] = ["CredentialUnusable", "QuotaUnusable", "LockedOut"];
const SILENT: ReadonlySet<string> = new Set(ECHOES.map((reason) => `Ready/${reason}`));
const ANNOUNCED: ReadonlySet<string> = new Set(["Ready"]);

/** Throws KubeError; Conflict when the object changed meanwhile: the next pass sees it as it is. */
export async function writeProviderStatus(
  deps: ProviderStatusDeps,
  { object, conditions }: { readonly object: WireProvider; readonly conditions: readonly ConditionWanted[] },
  signal: AbortSignal,
): Promise<void> {
  const name = keyOf(object);
  const previous = readProviderStatus(object.status);
  const { inFlight, waiting } = await countsOr(deps, { name, previous }, signal);
  const next = {
    observedGeneration: object.metadata.generation,
    inFlight,
    waiting,
    conditions: mergeConditions(previous.conditions, conditions, deps.clock.date()),
  };
  const status = statusPatch(object.status ?? {}, next);
  if (status === undefined) return;

  const { resourceVersion } = object.metadata;
  const written = await deps.resource.patchStatus(
    name,
    { metadata: { resourceVersion }, status },
    { signal, timeoutMs: WRITE_MS },
  );
  deps.own.wrote(slimProvider(written));

  const told = { sentences: PROVIDER_REASONS, silent: SILENT, announced: ANNOUNCED };
  for (const event of conditionEvents(previous.conditions ?? [], next.conditions, told)) {
    deps.recorder.record({ about: referenceTo(object), ...event });
  }
}

type Counts = Pick<ProviderStatus, "inFlight" | "waiting">;

/** A database that does not answer must not keep a rotated credential from being told. */
async function countsOr(
  { counts }: ProviderStatusDeps,
  { name, previous }: { readonly name: string; readonly previous: Counts },
  signal: AbortSignal,
): Promise<Counts> {
  try {
    return await counts(name, signal);
  } catch {
    signal.throwIfAborted();
    return previous;
  }
}
