// What happens in the demo, in order. Every step waits for what it needs to see, never for time alone.
import { setTimeout as wait } from "node:timers/promises";
import { kubectl } from "../env/kubectl.ts";
import { applyObjects } from "../operator/installation.ts";
import { accountObjects, grantObject, namespaceObject, providerObjects, taskObject } from "../operator/tenancy.ts";
import type { TaskWatcher } from "../operator/watcher.ts";
import { isSettled } from "../operator/watcher.ts";
import type { ProviderAdmin } from "../provider/client.ts";
import * as cast from "./cast.ts";
import type { Role } from "./cast.ts";
import { APP, TENANTS } from "./names.ts";
import type { Stage } from "./cluster.ts";
import type { Keeper } from "./keeper.ts";
import { LEASE_SECONDS } from "./tempo.ts";

export interface Story {
  readonly stage: Stage;
  readonly provider: ProviderAdmin;
  readonly watcher: TaskWatcher;
  readonly keeper: Keeper;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How long one step may be waited for. */
const STEP_MS = 60_000;
/** All tasks, from the last thing that is done to them. */
const END_MS = 90_000;
/** Between the takeover and the grant, so that one is seen after the other. */
const PAUSE_MS = 2000;

export function keyOf({ names }: Stage, { name, tenant }: Pick<Role, "name" | "tenant">): string {
  return `${names.namespace(tenant)}/${name}`;
}

/** Short time limits, so that a lost answer is noticed and looked for within seconds. */
const SPEC = {
  timeouts: { connectSeconds: 2, submitSeconds: 3, querySeconds: 3, jobSeconds: 180, fetchSeconds: 60 },
  unknown: { settleSeconds: 4, misses: 3, patienceSeconds: 60 },
};

/**
 * Namespaces, providers, and credits for one of the two tenants, which has an account for an app where there is a REST face for it.
 * Resolves when the credits are booked.
 */
export async function setUpTenants({ environment, names, restKubeconfigPath }: Stage): Promise<void> {
  const providers = await providerObjects(
    environment,
    [
      { name: names.provider("simulated"), spec: SPEC },
      { name: names.provider("opaque"), spec: { ...SPEC, capabilities: { cancel: "Request" } } },
    ],
    names.operator.namespace,
  );
  const studio = names.namespace("studio");
  await applyObjects(environment, [
    ...TENANTS.map(names.namespace).map(namespaceObject),
    ...providers.map(withoutSearch),
    ...(restKubeconfigPath === undefined ? [] : accountObjects(studio, APP)),
  ]);
  await applyObjects(environment, [grantObject(studio, "opening", "5")]);
  const applied = "--for=jsonpath={.status.applied}=true";
  await kubectl(environment, ["-n", studio, "wait", applied, "creditgrant/opening", "--timeout=50s"]);
}

interface ProviderLike {
  readonly spec?: { readonly capabilities?: Readonly<Record<string, unknown>>; readonly http?: object };
}

/** An account that can't be searched has no expressions for it either. */
function withoutSearch(object: object): object {
  const { spec } = object as ProviderLike;
  if (!spec?.http || spec.capabilities?.lookupByClientID === true) return object;
  const http = Object.fromEntries(Object.entries(spec.http).filter(([call]) => call !== "lookUp" && call !== "list"));
  return { ...object, spec: { ...spec, http } };
}

export async function play(story: Story): Promise<void> {
  const { say } = story;
  await apply(story, cast.FIRST_ACT);
  say(`${cast.FIRST_ACT.length} tasks were applied (kubectl apply), in the namespaces ${tenantNames(story)}`);
  await Promise.all([cancelOne(story), killOnce(story)]);
  await grantCredits(story);
  const settled = (): boolean =>
    cast.ROLES.every((role) => {
      const task = story.watcher.get(keyOf(story.stage, role));
      return task !== undefined && isSettled(task);
    });
  await story.watcher.until("all tasks to end", settled, limited(story.signal, END_MS));
}

function tenantNames({ stage: { names } }: Story): string {
  return TENANTS.map(names.namespace).join(" and ");
}

async function apply({ stage }: Story, roles: readonly Role[]): Promise<void> {
  const tasks = roles.map(({ name, provider = "simulated", tenant, wish }) =>
    taskObject({ ...wish, name, namespace: stage.names.namespace(tenant), provider: stage.names.provider(provider) }),
  );
  await applyObjects(stage.environment, tasks);
}

async function cancelOne(story: Story): Promise<void> {
  const { say, stage } = story;
  await seen(story, cast.CANCELLED, ({ phase, reason }) => phase === "Polling" && reason === "Running");
  say(`${cast.CANCELLED} runs at the provider: its user cancels it (spec.cancelRequested: true)`);
  const patch = JSON.stringify({ spec: { cancelRequested: true } });
  const namespace = stage.names.namespace("studio");
  await kubectl(stage.environment, ["-n", namespace, "patch", "gt", cast.CANCELLED, "--type=merge", "-p", patch]);
}

/** Kills the operator while one task is submitted, one job runs, and one download is under way; starts another. */
async function killOnce(story: Story): Promise<void> {
  const { keeper, say, signal } = story;
  await Promise.all([
    seen(story, cast.KILLED_IN_DOWNLOAD, ({ phase }) => phase === "Fetching"),
    seen(story, cast.LONG_VIDEO, ({ phase }) => phase === "Polling"),
    seen(story, "plain-image", ({ phase }) => phase === "Succeeded"),
  ]);
  const accepted = acceptance(story);
  await apply(story, cast.SECOND_ACT);
  await accepted;
  await keeper.kill();
  say(`SIGKILL to the operator: the provider has just accepted ${cast.KILLED_IN_SUBMIT}, and nobody heard the answer;`);
  say(`  ${cast.KILLED_IN_DOWNLOAD} was half copied, and the job of ${cast.LONG_VIDEO} runs on`);
  const killedMs = Date.now();
  keeper.restart();
  say(
    `another operator starts up, and waits until the dead one's lease of ${LEASE_SECONDS} s has run out: from outside,`,
  );
  say(
    "  dead and slow look the same, and two that submit would pay twice. One that is told to stop hands over at once",
  );
  await keeper.leading(limited(signal, STEP_MS));
  const seconds = ((Date.now() - killedMs) / 1000).toFixed(1);
  say(`the new operator leads, ${seconds} s after the kill; it goes on from what stands in Postgres`);
  say(`  ${cast.KILLED_IN_SUBMIT} is searched for once the call of the dead operator can't be under way any more`);
}

/** The provider has made the job of the task that is killed in its submit, and withholds the answer for a while. */
function acceptance({ provider, signal, stage }: Story): Promise<unknown> {
  const reference = keyOf(stage, { name: cast.KILLED_IN_SUBMIT, tenant: "studio" });
  return provider.waitFor(
    (event) => event.type === "submit.accepted" && event.reference === reference,
    limited(signal, STEP_MS),
  );
}

async function grantCredits(story: Story): Promise<void> {
  const { say, signal, stage } = story;
  await wait(PAUSE_MS, undefined, { signal });
  const namespace = stage.names.namespace("newcomer");
  say(`${namespace} has no credits, so ${cast.WAITING} was never submitted: a CreditGrant of 1 is applied now`);
  await applyObjects(stage.environment, [grantObject(namespace, "welcome", "1")]);
}

type StatusTest = (status: NonNullable<ReturnType<TaskWatcher["all"]>[number]["status"]>) => boolean;

async function seen(story: Story, name: string, test: StatusTest): Promise<void> {
  const role = cast.ROLES.find((one) => one.name === name);
  if (!role) throw new Error(`cannot wait for ${name}: it is not in the cast`);
  const key = keyOf(story.stage, role);
  const holds = (): boolean => {
    const status = story.watcher.get(key)?.status;
    return status !== undefined && test(status);
  };
  await story.watcher.until(name, holds, limited(story.signal, STEP_MS));
}

function limited(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}
