// What people and providers do to a task in the middle of its life.
import { randomUUID } from "node:crypto";
import { handIn } from "../../operator/postgres/inbox.ts";
import { isConflict, isNotFound } from "../../operator/runtime/errors.ts";
import type { Resource } from "../../operator/runtime/resources.ts";
import type { SeenTask } from "../operator/watcher.ts";
import { signatureOf } from "../provider/webhooks/sign.ts";
import type { Reaction } from "./behaviour.ts";
import { ATTEMPTS, keyOf } from "./bench.ts";
import type { Bench, Place } from "./bench.ts";

const CALL_MS = 30_000;

export async function react(bench: Bench, place: Place, reaction: Reaction, signal: AbortSignal): Promise<void> {
  const { tasks } = bench;
  const key = keyOf(place);
  switch (reaction) {
    case "cancel":
      await tasks.patch(key, { spec: { cancelRequested: true } }, { signal });
      return;
    case "delete":
      await tasks.remove(key, { signal });
      return;
    case "replace":
      return replace(bench, key, signal);
    case "resolve":
      await tasks.patch(key, { spec: { resolution: await resolutionOf(bench, key) } }, { signal });
      return;
    case "tell":
      return tell(bench, place);
  }
}

/** The webhook that the provider sends for its job of this task, handed in as the receiver does. Nothing without a job. */
export async function tell({ books, provider, receiver }: Bench, place: Place): Promise<void> {
  const [job] = (await provider.record({ reference: keyOf(place) })).jobs;
  if (!job) return;
  const { rows } = await books.query<{ id: string }>(`select id from ${ATTEMPTS} mine order by number desc limit 1`, [
    place.namespace,
    place.name,
  ]);
  const attemptId = rows[0]?.id ?? "";
  const id = `msg_${randomUUID()}`;
  const timestamp = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ type: "job.running", data: { id: job.id, ref: job.ref, state: "running" } });
  const { webhookSecret } = await provider.readConfig();
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf(webhookSecret, { id, timestamp, body }),
  };
  await handIn(receiver, { attemptId, digest: id, headers, body: Buffer.from(body) });
}

/** What a person reads off the provider's console. */
async function resolutionOf({ provider, watcher }: Bench, key: string): Promise<object> {
  const [job] = (await provider.record({ reference: key })).jobs;
  const attempt = watcher.get(key)?.status?.attempt ?? 0;
  return job ? { attempt, decision: "BindJob", jobID: job.id } : { attempt, decision: "NotCreated" };
}

/** As from a backup of the objects: the same wish with its annotation, under another UID, and with no status. */
async function replace({ tasks, watcher }: Bench, key: string, signal: AbortSignal): Promise<void> {
  const old = await tasks.get(key, { signal });
  if (!old) return;
  await remove(tasks, key);
  const { annotations = {}, name, namespace = "" } = old.metadata;
  const restored = { ...old, metadata: { name, namespace, annotations }, status: {} };
  await tasks.create(restored, { signal });
  const isNew = (): boolean => watcher.get(key)?.metadata.uid !== old.metadata.uid && watcher.get(key) !== undefined;
  await watcher.until(`${key} to be seen again`, isNew, signal);
}

/** The finalizer first and the object in the same breath: for the operator it is gone, and was never deleted. */
export async function remove(tasks: Resource<SeenTask>, key: string): Promise<void> {
  const signal = AbortSignal.timeout(CALL_MS);
  for (;;) {
    signal.throwIfAborted();
    try {
      const bare = await tasks.patch(key, { metadata: { finalizers: null } }, { signal });
      const { resourceVersion = "", uid = "" } = bare.metadata;
      await tasks.remove(key, { signal, uid, resourceVersion });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
    }
  }
}
