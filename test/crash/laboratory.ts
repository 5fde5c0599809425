// One environment in which many tasks live and the operator dies at their crash points: it makes the tasks, does what a
// behaviour says that people do, and knows when a task is drained.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { TASKS } from "../../operator/kube/kinds.ts";
import { loadKubeConfig } from "../../operator/kube/kubeconfig.ts";
import { makePool } from "../../operator/postgres/pool.ts";
import { makeResource } from "../../operator/runtime/resources.ts";
import { makeTransport } from "../../operator/runtime/transport.ts";
import { isFinal } from "../../operator/task/phase.ts";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";
import { applyObjects, install } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "../operator/tenancy.ts";
import { watchTasks } from "../operator/watcher.ts";
import type { SeenTask } from "../operator/watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";
import type { ProviderAdmin } from "../provider/client.ts";
import { PROVIDERS } from "./behaviour.ts";
import type { Behaviour, Reaction } from "./behaviour.ts";
import { keyOf } from "./bench.ts";
import type { Bench, Place } from "./bench.ts";
import { liveLate } from "./late-life.ts";
import { react, remove } from "./reactions.ts";
import { startReplicas } from "./replicas.ts";
import type { Replicas } from "./replicas.ts";

export interface Laboratory {
  readonly environment: Environment;
  readonly installation: Installation;
  readonly provider: ProviderAdmin;
  readonly replicas: Replicas;
  readonly bench: Bench;
  /** Where orders are written and passages are counted. */
  readonly ordersFolder: string;
  /** Makes the task; resolves with what it is when it is drained: ended, or gone (undefined), and no late job left. Rejects on abort. */
  live(place: Place, behaviour: Behaviour, signal: AbortSignal): Promise<SeenTask | undefined>;
  /** Takes the object away, whatever it still carries. */
  forget(place: Place): Promise<void>;
  stop(): Promise<void>;
}

export async function openLaboratory(namespaces: readonly string[]): Promise<Laboratory> {
  const environment = await startEnvironment();
  const installation = await install(environment);
  const provider = makeProviderAdmin(environment.provider.adminUrl);
  const { webhookSecret } = await provider.config({ idempotency: "replay", durationMs: 300 });
  const accounts = await accountsOf(environment, webhookSecret);
  await applyObjects(environment, [...namespaces.map(namespaceObject), ...accounts]);
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
  const bench: Bench = {
    ...poolsOf(installation),
    tasks: makeResource<SeenTask>(transport, TASKS),
    watcher: await watchTasks(environment),
    provider,
  };
  return {
    ...{ environment, installation, provider, replicas, bench, ordersFolder },
    live: (place, behaviour, signal) => live(bench, { ...place, behaviour }, signal),
    forget: (place) => remove(bench.tasks, keyOf(place)),
    stop: async () => {
      await replicas.stop();
      await bench.watcher.stop();
      await Promise.all([bench.books.end(), bench.receiver.end()]);
      await transport.close();
      await environment.stop();
    },
  };
}

function poolsOf({ databaseUrl, environment }: Installation): Pick<Bench, "books" | "receiver"> {
  const asSuperuser = new URL(environment.postgres.adminUrl);
  asSuperuser.pathname = new URL(databaseUrl).pathname;
  return {
    books: makePool({ url: databaseUrl, applicationName: "laboratory", maxConnections: 4 }),
    receiver: makePool({ url: asSuperuser.toString(), applicationName: "receiver", maxConnections: 2 }),
  };
}

/** The providers of PROVIDERS, with the secret of their webhooks; one that answers replays is told apart by the header that it wants. */
async function accountsOf(environment: Environment, webhook: string): Promise<readonly object[]> {
  const variants = Object.entries(PROVIDERS).map(([name, spec]) => ({ name, spec }));
  const objects = (await providerObjects(environment, variants)) as readonly AnyObject[];
  return objects.map((object) => {
    if (object.stringData) return { ...object, stringData: { ...object.stringData, webhook } };
    return object.metadata.name === "replaying" && object.spec
      ? { ...object, spec: { ...object.spec, http: { ...object.spec.http, idempotencyHeader: "Idempotency-Key" } } }
      : object;
  });
}

interface AnyObject {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly http: object };
  readonly stringData?: object;
}

interface Subject extends Place {
  readonly behaviour: Behaviour;
}

async function live(bench: Bench, subject: Subject, signal: AbortSignal): Promise<SeenTask | undefined> {
  const drained = await liveToEnd(bench, subject, signal);
  if (!subject.behaviour.late) return drained;
  await liveLate(bench, subject, subject.behaviour.late, signal);
  return bench.watcher.get(keyOf(subject));
}

async function liveToEnd(bench: Bench, subject: Subject, signal: AbortSignal): Promise<SeenTask | undefined> {
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
    await react(bench, subject, reaction, signal);
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
