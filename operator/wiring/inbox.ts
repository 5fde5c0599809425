// The reading of webhooks by the leader of their tasks: told of new ones by Postgres, and looking by itself now and then in case that
// is lost. What a message says only makes the provider be asked sooner.
import type { Pool } from "pg";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Fence } from "../postgres/fence.ts";
import { listen, noteReading, unread } from "../postgres/inbox.ts";
import type { Unread } from "../postgres/inbox.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { makeBell, type Bell } from "../runtime/bell.ts";
import { sleep, systemClock } from "../runtime/clock.ts";
import type { Controller } from "../runtime/controller.ts";
import { onAbort } from "../runtime/signals.ts";

export interface InboxDeps {
  readonly pool: Pool;
  readonly fence: Fence;
  /** Undefined: the provider is not known yet. */
  readonly hear: ProviderRegistry["hear"];
  readonly tasks: Pick<Controller, "enqueue">;
  readonly isOurs: (objectKey: string) => boolean;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "count">;
}

const BATCH = 200;
/** When nothing is heard. */
const LOOK_MS = 15_000;
const LISTEN_AGAIN_MS = 5_000;

/** Reads until stopped. A round that fails is told and repeated. */
export async function runInbox(deps: InboxDeps, stop: AbortSignal): Promise<void> {
  const bell = makeBell(systemClock);
  const cancel = onAbort(stop, () => bell.ring());
  await Promise.all([keepListening(deps, () => bell.ring(), stop), keepReading(deps, bell, stop)]);
  cancel();
}

async function keepListening({ log, pool }: InboxDeps, ring: () => void, stop: AbortSignal): Promise<void> {
  const isOver = (): boolean => stop.aborted;
  while (!isOver()) {
    await listen(pool, "genop_inbox", ring, stop).catch((error: unknown) => {
      if (!isOver()) log("warn", "inbox.deaf", { error });
    });
    await sleep(systemClock, LISTEN_AGAIN_MS, stop).catch(() => undefined);
  }
}

async function keepReading(deps: InboxDeps, bell: Bell, stop: AbortSignal): Promise<void> {
  const isOver = (): boolean => stop.aborted;
  while (!isOver()) {
    bell.hush();
    const isMore = await readInbox(deps, stop).catch((error: unknown) => {
      if (!isOver()) deps.log("warn", "inbox.unread", { error });
      return false;
    });
    if (!isMore && !isOver()) await bell.heard(LOOK_MS);
  }
}

/** One batch. True when there may be more. */
export async function readInbox(deps: InboxDeps, signal: AbortSignal): Promise<boolean> {
  const messages = await unread(deps.pool, BATCH, signal);
  const ours = messages.filter(({ objectKey }) => deps.isOurs(objectKey));
  let read = 0;
  for (const message of ours) {
    signal.throwIfAborted();
    if (await readOne(deps, message)) read += 1;
  }
  return messages.length === BATCH && read > 0;
}

/** False: it can't be read yet. */
async function readOne({ fence, hear, metrics, pool, tasks }: InboxDeps, message: Unread): Promise<boolean> {
  const { attemptId, body, headers, id, objectKey, provider, receivedAt } = message;
  const heard = hear(provider, { headers, body, receivedAt });
  if (!heard) return false;
  const { jobId, verdict } = heard;
  const isHint = verdict === "heard";
  await noteReading(pool, fence, { id, attemptId, verdict, isHint, jobId });
  metrics.count("webhooksRead", { provider, verdict });
  if (isHint) tasks.enqueue(objectKey);
  return true;
}
