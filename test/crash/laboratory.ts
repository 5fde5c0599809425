// One environment in which many tasks live and the operator dies at their crash points: it makes the tasks, does what a
// behaviour says that people do, and knows when a task is drained.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { TASKS } from "../../operator/kube/kinds.ts";
import { loadKubeConfig } from "../../operator/kube/kubeconfig.ts";
import { isConflict, isNotFound } from "../../operator/runtime/errors.ts";
import { makeResource } from "../../operator/runtime/resources.ts";
import type { Resource } from "../../operator/runtime/resources.ts";
import { makeTransport } from "../../operator/runtime/transport.ts";
import { isFinal } from "../../operator/task/phase.ts";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";
import { applyObjects, install } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "../operator/tenancy.ts";
import { watchTasks } from "../operator/watcher.ts";
import type { SeenTask, TaskWatcher } from "../operator/watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";
import type { ProviderAdmin } from "../provider/client.ts";
import { PROVIDERS } from "./behaviours.ts";
import type { Behaviour, Reaction } from "./behaviours.ts";
import { startReplicas } from "./replicas.ts";
import type { Replicas } from "./replicas.ts";

export interface Laboratory {
  readonly environment: Environment;
  readonly installation: Installation;
  readonly provider: ProviderAdmin;
  readonly replicas: Replicas;
  /** Where orders are written and passages are counted. */
  readonly ordersFolder: string;
  /** Makes the task; resolves with what it is when it is drained: ended, or gone (undefined). Rejects on abort. */
  live(place: Place, behaviour: Behaviour, signal: AbortSignal): Promise<SeenTask | undefined>;
  /** Takes the object away, whatever it still carries. */
  forget(place: Place): Promise<void>;
  stop(): Promise<void>;
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

const CALL_MS = 30_000;

export async function openLaboratory(namespaces: readonly string[]): Promise<Laboratory> {
  const environment = await startEnvironment();
  const installation = await install(environment);
  const provider = makeProviderAdmin(environment.provider.adminUrl);
  await provider.config({ idempotency: "replay", durationMs: 300 });
  await applyObjects(environment, [...namespaces.map(namespaceObject), ...(await accountsOf(environment))]);
  await applyObjects(
    environment,
    namespaces.map((namespace) => grantObject(namespace, "all", "10000")),
  );
  const transport = makeTransport({ kubeConfig: loadKubeConfig(environment.kubeconfigPath) });
  const ordersFolder = join(environment.folder, "orders");
  mkdirSync(ordersFolder);
  const logFile = join(environment.folder, "logs", "operator.log");
  const replicas = startReplicas({ installation, transport, ordersFolder, logFile });
  await kubectl(environment, ["wait", "--for=condition=Applied", "--timeout=60s", "creditgrants", "--all", "-A"]);
  const bench = { tasks: makeResource<SeenTask>(transport, TASKS), watcher: await watchTasks(environment), provider };
  return {
    ...{ environment, installation, provider, replicas, ordersFolder },
    live: (place, behaviour, signal) => live(bench, { ...place, behaviour }, signal),
    forget: (place) => remove(bench.tasks, keyOf(place)),
    stop: async () => {
      await replicas.stop();
      await bench.watcher.stop();
      await transport.close();
      await environment.stop();
    },
  };
}

/** The providers of PROVIDERS; one that answers replays is told apart by the header that it wants. */
async function accountsOf(environment: Environment): Promise<readonly object[]> {
  const variants = Object.entries(PROVIDERS).map(([name, spec]) => ({ name, spec }));
  const objects = (await providerObjects(environment, variants)) as readonly AnyObject[];
  return objects.map((object) =>
    object.metadata.name === "replaying" && object.spec
      ? { ...object, spec: { ...object.spec, http: { ...object.spec.http, idempotencyHeader: "Idempotency-Key" } } }
      : object,
  );
}

interface AnyObject {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly http: object };
}

interface Bench {
  readonly tasks: Resource<SeenTask>;
  readonly watcher: TaskWatcher;
  readonly provider: ProviderAdmin;
}

interface Subject extends Place {
  readonly behaviour: Behaviour;
}

const keyOf = ({ name, namespace }: Place): string => `${namespace}/${name}`;

async function live(bench: Bench, subject: Subject, signal: AbortSignal): Promise<SeenTask | undefined> {
  const key = keyOf(subject);
  const { model = "sim-image", provider = "simulated", reactions = {}, simulate, spec } = subject.behaviour;
  const wish = taskObject({
    ...{ namespace: subject.namespace, name: subject.name, model, provider },
    ...(simulate && { simulate }),
    ...(spec && { spec }),
  });
  await bench.tasks.create(wish as SeenTask, { signal });
  await bench.watcher.until(`${key} to be seen`, () => bench.watcher.get(key) !== undefined, signal);
  const done = new Set<string>();
  for (;;) {
    const due = (): Reaction | undefined => dueOf(bench.watcher.get(key), reactions, done);
    const drained = (): boolean => isDrained(bench.watcher.get(key));
    await bench.watcher.until(`${key} to be drained`, () => due() !== undefined || drained(), signal);
    const reaction = due();
    if (reaction === undefined) return bench.watcher.get(key);
    done.add(occasionOf(reaction, bench.watcher.get(key)));
    await react(bench, key, reaction, signal);
  }
}

function dueOf(
  seen: SeenTask | undefined,
  reactions: NonNullable<Behaviour["reactions"]>,
  done: ReadonlySet<string>,
): Reaction | undefined {
  const phase = seen?.status?.phase;
  const reaction = phase && reactions[phase];
  return reaction !== undefined && !done.has(occasionOf(reaction, seen)) ? reaction : undefined;
}

/** A person decides anew for each attempt; everything else is done once. */
function occasionOf(reaction: Reaction, seen: SeenTask | undefined): string {
  return reaction === "resolve" ? `${reaction} ${String(seen?.status?.attempt)}` : reaction;
}

function isDrained(seen: SeenTask | undefined): boolean {
  if (seen === undefined) return true;
  const { phase } = seen.status ?? {};
  const stays = (seen as TimedTask).spec.ttlSecondsAfterFinished === undefined;
  return phase !== undefined && isFinal(phase) && stays && seen.metadata.deletionTimestamp === undefined;
}

interface TimedTask extends SeenTask {
  readonly spec: { readonly ttlSecondsAfterFinished?: number };
}

async function react(bench: Bench, key: string, reaction: Reaction, signal: AbortSignal): Promise<void> {
  const { tasks } = bench;
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
  }
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
async function remove(tasks: Resource<SeenTask>, key: string): Promise<void> {
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
