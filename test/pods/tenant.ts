// A namespace with credits that asks for generations, and what must hold when all of them are over: by the provider's own record, the books
// and the object store.
import { expect } from "@jest/globals";
import { brokenBooks, wrongAssets } from "../operator/verdict.ts";
import { grantObject, namespaceObject, providerObjects, taskObject, type Wish } from "../operator/tenancy.ts";
import { watchTasks, type SeenTask, type TaskWatcher } from "../operator/watcher.ts";
import type { ProviderAdmin } from "../provider/client.ts";
import { runVerify } from "../../operator/postgres/verify-command.ts";
import type { Backend } from "./backend.ts";
import { NAMESPACE } from "./release.ts";
import { applyObjects } from "../operator/installation.ts";
import { PROVIDER_TOKEN, PROVIDER_URL, openStores, type OpenStores } from "./stores.ts";

const SETTLE_MS = 240_000;
const FEW = 20;

export interface Tenant {
  readonly namespace: string;
  readonly stores: OpenStores;
  readonly watcher: TaskWatcher;
  /** Applies these tasks at once. */
  ask(count: number, more?: Partial<Wish>): Promise<void>;
  /** Asks for more whenever little is left to submit, until this is over: so that there is work all the while. */
  keepAsking(during: Promise<unknown>): Promise<void>;
  /** Resolves when the provider has received so many submits of the tenant. */
  untilSubmitted(count: number): Promise<void>;
  /** All that were asked for here, or so many. */
  untilSucceeded(count?: number): Promise<readonly SeenTask[]>;
  close(): Promise<void>;
}

/** The provider of the samples, at the address that the simulator has in the cluster; its credential is in the release's namespace. */
export async function bringProvider(backend: Backend): Promise<void> {
  const provider = { baseUrl: PROVIDER_URL, adminUrl: "", token: PROVIDER_TOKEN };
  await applyObjects(backend, await providerObjects({ provider }, [{ name: "simulated" }], NAMESPACE));
}

export async function openTenant(backend: Backend, namespace: string): Promise<Tenant> {
  await applyObjects(backend, [namespaceObject(namespace)]);
  await applyObjects(backend, [grantObject(namespace, "first", "1000")]);
  const stores = await openStores(backend);
  const watcher = await watchTasks(backend);
  const mine = (): readonly SeenTask[] => watcher.all().filter(({ metadata }) => metadata.namespace === namespace);
  const limit = (): AbortSignal => AbortSignal.timeout(SETTLE_MS);
  let asked = 0;
  const ask = async (count: number, more?: Partial<Wish>): Promise<void> => {
    const names = Array.from({ length: count }, (_, at) => `task-${String(asked + at)}`);
    asked += count;
    await applyObjects(
      backend,
      names.map((name) => taskObject({ namespace, name, model: "sim-image", ...more })),
    );
  };
  const untilSubmitted = (count: number): Promise<void> => untilAccepted(stores.provider, namespace, count);
  return {
    namespace,
    stores,
    watcher,
    ask,
    untilSubmitted,
    keepAsking: async (during) => {
      for (;;) {
        const first = await Promise.race([during.then(() => "over"), untilSubmitted(asked - FEW).then(() => "few")]);
        if (first === "over") return;
        await ask(FEW);
      }
    },
    untilSucceeded: async (count = asked) => {
      const isDone = ({ status }: SeenTask): boolean => status?.phase === "Succeeded";
      await watcher.until(
        `all of ${namespace} to succeed`,
        () => mine().length === count && mine().every(isDone),
        limit(),
      );
      return mine();
    },
    close: async () => {
      await watcher.stop();
      stores.close();
    },
  };
}

async function untilAccepted(provider: ProviderAdmin, namespace: string, count: number): Promise<void> {
  let seen = 0;
  await provider.waitFor((event) => {
    const isOurs = event.type === "submit.accepted" && String(event.reference).startsWith(`${namespace}/`);
    return (seen += isOurs ? 1 : 0) >= count;
  }, AbortSignal.timeout(SETTLE_MS));
}

/** Nothing lost, nothing twice, every byte as the provider serves it, and books that add up. Tasks call themselves by their names unless told. */
export async function expectPaidOnce(
  { namespace, stores }: Tenant,
  tasks: readonly SeenTask[],
  wanted: readonly string[] = tasks.map(({ metadata }) => `${namespace}/${metadata.name}`),
): Promise<void> {
  const { jobs } = await stores.provider.record();
  const references = jobs
    .map(({ reference }) => reference)
    .filter((reference) => reference.startsWith(`${namespace}/`));
  expect(references.toSorted()).toEqual(wanted.toSorted());
  expect((await stores.provider.summary()).referencesPaidTwice).toEqual([]);
  expect(tasks.flatMap(({ status }) => status?.assets ?? []).length).toBeGreaterThanOrEqual(tasks.length);
  expect(await wrongAssets(stores, stores.provider, tasks)).toEqual([]);
  const databaseUrl = await stores.databaseUrl();
  expect(await brokenBooks({ databaseUrl })).toEqual({});
  const { exitCode, stderr } = await runVerify([], { VERIFY_DATABASE_URL: databaseUrl });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
}
