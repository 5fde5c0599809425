// One output from its URL to a verified object in staging.
import type { Outbound } from "../outbound/outbound.ts";
import type { Bandwidth } from "./bandwidth.ts";
import { makeCutoff } from "./cutoff.ts";
import type { Ending } from "./ending.ts";
import type { FetchJob, NamedOutput } from "./fetch.ts";
import type { OutputAccess } from "./access.ts";
import type { Inspector } from "./inspect/inspector.ts";
import { Interruption } from "./interruption.ts";
import { judgeAsset } from "./judge-asset.ts";
import type { Keys } from "./keys.ts";
import type { ArtifactLimits } from "./limits.ts";
import type { Meter } from "./meter.ts";
import type { Verified } from "./publish.ts";
import { openSource } from "./source.ts";
import { stage } from "./stage.ts";
import type { Staged } from "./stage.ts";
import type { Objects } from "./store/objects.ts";
import type { Uploads } from "./store/upload.ts";

export interface BringDeps {
  readonly limits: ArtifactLimits;
  readonly objects: Objects;
  readonly uploads: Uploads;
  readonly keys: Keys;
  readonly inspector: Inspector;
  readonly meter: Meter;
  readonly bandwidth: Bandwidth;
  readonly accessTo: (provider: string) => OutputAccess | undefined;
  readonly outboundFor: (access: OutputAccess) => Outbound;
}

/** A cutoff of its own, so that a sender who stalls ends this output under its own word. Throws Interruptions. */
export async function bring(deps: BringDeps, output: NamedOutput, job: FetchJob): Promise<Verified | Ending> {
  const cutoff = makeCutoff(job.cutoff.signal);
  try {
    return await stageAndVerify(deps, output, { ...job, cutoff });
  } finally {
    cutoff.release();
  }
}

async function stageAndVerify(deps: BringDeps, named: NamedOutput, job: FetchJob): Promise<Verified | Ending> {
  const staged = await stageOne(deps, named, job);
  if (staged.outcome !== "staged") return staged;
  const { name, output } = named;
  const read = (offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> =>
    deps.objects.read(staged.object, { offset, length }, signal);
  const inspection = await deps.inspector.inspect(
    { size: staged.bytes, container: staged.type.container, read },
    job.cutoff.signal,
  );
  const wish = {
    name,
    sniffed: staged.type.mediaType,
    announced: output.mediaType,
    allowed: job.order.limits.mediaTypes,
    isLengthKnown: staged.isLengthKnown,
  };
  const facts = judgeAsset(wish, inspection);
  return facts.outcome === "asset" ? { name, staged, facts } : facts;
}

async function stageOne(
  { limits, uploads, keys, meter, bandwidth, accessTo, outboundFor }: BringDeps,
  { index, name, output }: NamedOutput,
  { order, provider, cutoff, count }: FetchJob,
): Promise<Staged | Ending> {
  const access = accessTo(provider);
  if (!access) throw new Interruption("provider-unavailable");
  const { signal } = cutoff;
  const { dataUrlBytes, stallMs } = limits;
  const { rules, credential } = access;
  const { url } = output;
  const outbound = outboundFor(access);
  const source = await openSource({ url, name, outbound, rules, credential, dataUrlBytes, stallMs, signal });
  if (source.outcome !== "open") return source;
  const upload = uploads.begin(keys.staged(order.attempt.id, index), signal);
  const counted = (bytes: number): boolean => {
    meter.received(provider, bytes);
    return count(bytes);
  };
  const { maxBytes } = order.limits;
  return stage(source, upload, { name, output, maxBytes, limits, bandwidth, cutoff, count: counted });
}
