// One fetch: every output staged and inspected at once under the global limit of streams, then all published or none.
import type { Slots } from "../outbound/slots.ts";
import type { FetchOrder } from "../reconcile/ports.ts";
import type { FetchOutcome, Output } from "../task/outcome.ts";
import type { ProviderSettings } from "../task/provider.ts";
import { makeCutoff } from "./cutoff.ts";
import type { Cutoff } from "./cutoff.ts";
import { endingOf, unusable } from "./ending.ts";
import type { Ending } from "./ending.ts";
import { Interruption } from "./interruption.ts";
import { nameOutputs } from "./keys.ts";
import type { Keys } from "./keys.ts";
import { MAX_OUTPUTS } from "./limits.ts";
import type { ArtifactLimits } from "./limits.ts";
import { publish } from "./publish.ts";
import type { Verified } from "./publish.ts";
import type { Objects } from "./store/objects.ts";

/** Brings one output from the provider into staging and inspects it. Throws Interruptions. */
export type Bring = (output: NamedOutput, job: FetchJob) => Promise<Verified | Ending>;

export interface NamedOutput {
  readonly index: number;
  readonly name: string;
  readonly output: Output;
}

/** What the outputs of one fetch have in common. */
export interface FetchJob {
  readonly order: FetchOrder;
  readonly provider: string;
  readonly cutoff: Cutoff;
  /** True when all outputs together have become too many bytes. */
  readonly count: (bytes: number) => boolean;
}

export interface FetchDeps {
  readonly limits: ArtifactLimits;
  /** The uploads that may run at a time: each holds three parts at most. */
  readonly streams: Slots;
  readonly objects: Objects;
  readonly keys: Keys;
  readonly bucket: string;
  readonly bring: Bring;
  readonly clear: (prefix: string, signal: AbortSignal) => Promise<void>;
  /** The staging of a fetch that came to its end could not be cleared: the sweep takes it away. */
  readonly onLeft: () => void;
}

const CLEAR_MS = 5_000;

/** Ends within twice `timeouts.fetchSeconds`: so long it may wait for a free stream, and so long the rest may take. */
export async function fetchAll(
  deps: FetchDeps,
  order: FetchOrder,
  settings: ProviderSettings,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  const refusal = judgeCount(order);
  if (refusal) return refusal;

  const cutoff = makeCutoff(signal);
  const job = { order, provider: settings.name, cutoff, count: makeCounter(deps.limits.totalBytes) };
  try {
    const brought = await bringAll(deps, job, settings);
    if (isAll(brought)) return await publishAll(deps, job, brought);
    const place = deps.keys.stagedBy(order.attempt.id);
    if (brought.outcome !== "interrupted") await leaveNothing(deps, (limit) => deps.clear(place, limit), signal);
    return brought;
  } catch (error) {
    return endingOf(error);
  } finally {
    cutoff.release();
  }
}

/** Takes away just what it has staged itself, without a list, which costs the most of all requests. */
async function publishAll(
  deps: FetchDeps,
  { cutoff, order }: FetchJob,
  outputs: readonly Verified[],
): Promise<FetchOutcome> {
  const assets = await publish(deps, order, outputs, cutoff.signal);
  const staged = outputs.map((output) => output.staged.object.key);
  const remove = (limit: AbortSignal): Promise<unknown> =>
    Promise.all(staged.map((key) => deps.objects.remove(key, limit)));
  await leaveNothing(deps, remove, cutoff.signal);
  return { outcome: "published", assets };
}

/** What is not taken away now is left to the sweep, and so is what an earlier fetch that was broken off had begun. */
async function leaveNothing(
  { onLeft }: FetchDeps,
  takeAway: (limit: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  await takeAway(AbortSignal.any([signal, AbortSignal.timeout(CLEAR_MS)])).catch(onLeft);
}

function judgeCount({ outputs, limits }: FetchOrder): Ending | undefined {
  if (outputs.length > MAX_OUTPUTS) return unusable("the set of outputs", `there are more than ${MAX_OUTPUTS}`);
  if (outputs.length >= limits.minCount && outputs.length > 0) return undefined;
  return unusable("the set of outputs", `there are ${outputs.length}, and spec.output.minCount is ${limits.minCount}`);
}

function makeCounter(totalBytes: number): (bytes: number) => boolean {
  let counted = 0;
  return (bytes) => (counted += bytes) > totalBytes;
}

function isAll(brought: readonly Verified[] | Ending): brought is readonly Verified[] {
  return Array.isArray(brought);
}

/** The first that ends badly ends the others: nothing of this attempt can be published then. */
async function bringAll(
  { streams, bring }: FetchDeps,
  job: FetchJob,
  settings: ProviderSettings,
): Promise<readonly Verified[] | Ending> {
  const { order, cutoff } = job;
  const limitMs = settings.timeouts.fetchSeconds * 1000;
  const expiresAtMs = order.attempt.readyAt.getTime() + settings.outputs.ttlSeconds * 1000;
  const names = nameOutputs(order.outputs);
  let first: Ending | undefined;
  let isStarted = false;

  const bringOne = async (output: NamedOutput): Promise<Verified | Ending> => {
    const release = await streams.take(cutoff.signal, expiresAtMs);
    if (!isStarted) cutoff.cutIn(limitMs, "deadline");
    isStarted = true;
    try {
      return await bring(output, job);
    } finally {
      release();
    }
  };
  cutoff.cutIn(limitMs, "no-free-stream");
  const results = await Promise.allSettled(
    order.outputs.map(async (output, index) => {
      const named = { index, name: names[index] ?? `output-${index}`, output };
      const result = await bringOne(named).catch((error: unknown) => {
        if (!(error instanceof Interruption)) cutoff.cut("not-needed"); // a fault of ours, thrown on
        return endingOf(error);
      });
      if ("outcome" in result) first ??= result;
      if (first) cutoff.cut("not-needed");
      return result;
    }),
  );
  return first ?? results.map(verifiedOf);
}

function verifiedOf(result: PromiseSettledResult<Verified | Ending>): Verified {
  if (result.status === "rejected") throw result.reason;
  if ("outcome" in result.value) throw new Error("cannot publish: an output that ended badly was taken for a good one");
  return result.value;
}
