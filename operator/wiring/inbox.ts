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
  /** Undefined: it can't be told yet. */
  readonly hear: ProviderRegistry["hear"];
  readonly tasks: Pick<Controller, "enqueue">;
  readonly isOurs: (objectKey: string) => boolean;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "count">;
}

const BATCH = 200;
const BATCHES = 20;
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

/** What is there, past what can't be read yet or is another shard's, in bounded batches. True when there may be more. */
export async function readInbox(deps: InboxDeps, signal: AbortSignal): Promise<boolean> {
  let [after, read] = [0n, 0];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const messages = await unread(deps.pool, { atMost: BATCH, after }, signal);
    for (const message of messages.filter(({ objectKey }) => deps.isOurs(objectKey))) {
      signal.throwIfAborted();
      if (await readOne(deps, message)) read += 1;
    }
    after = messages.at(-1)?.id ?? after;
    if (messages.length < BATCH) return false;
  }
  return read > 0;
}

/** False: it can't be read yet. */
async function readOne({ fence, hear, metrics, pool, tasks }: InboxDeps, message: Unread): Promise<boolean> {
  const { attemptId, body, headers, id, objectKey, provider, readAt, receivedAt } = message;
  const heard = hear(provider, { headers, body, receivedAt, readAt });
  if (!heard) return false;
  const { jobId, verdict } = heard;
  const isHint = verdict === "heard";
  await noteReading(pool, fence, { id, attemptId, verdict, isHint, jobId });
  metrics.count("webhooksRead", { provider, verdict });
  if (isHint) tasks.enqueue(objectKey);
  return true;
}
