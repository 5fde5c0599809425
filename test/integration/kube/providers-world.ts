// The providers controller on a real API server, with a registry and a recorder that remember.
import { CONFIG_MAPS, PROVIDERS, SECRETS } from "../../../operator/kube/kinds.ts";
import { slimProvider, type WireProvider } from "../../../operator/kube/provider-object.ts";
import type { ProviderInput, ProviderRegistry } from "../../../operator/kube/provider-registry.ts";
import { makeProvidersController, type ProvidersController } from "../../../operator/kube/providers-controller.ts";
import { QUOTA_CONFIG_MAP, makeQuotas, type ConfigMapObject, type LiveQuotas } from "../../../operator/kube/quota.ts";
import { makeSecrets, type SecretObject } from "../../../operator/kube/secrets.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { makeReflector } from "../../../operator/runtime/reflector.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { ProviderStatus } from "../../../operator/task/provider-resource.ts";
import { eventually, makeCluster, makeMemory, signal, type Cluster } from "./fixture.ts";

export type SeenStatus = ProviderStatus & { readonly resourceVersion: string | undefined };

/** What a test moves. */
interface Knobs {
  mayReport: boolean;
  counts: { readonly inFlight: number; readonly waiting: number };
  /** What the registry finds wrong with the next provider that it is given. */
  problems: readonly string[];
  lockedOut: string | undefined;
}

/** The inner parts: what the controller is made with. */
interface Parts {
  readonly cluster: Cluster;
  readonly knobs: Knobs;
  readonly registry: ProviderRegistry;
  readonly memory: ReturnType<typeof makeMemory>;
}

export interface ProvidersWorld {
  readonly cluster: Cluster;
  /** Of the one provider. */
  readonly name: string;
  readonly quotas: LiveQuotas;
  readonly providers: ProvidersController;
  readonly memory: Parts["memory"];
  readonly knobs: Knobs;
  /** What the registry was told, in order. */
  readonly told: readonly (ProviderInput | "removed")[];
  status(): Promise<SeenStatus>;
  /** Waits until the condition is so, such as "False LockedOut"; asks for a pass first, as the regular one would come. */
  becomes(type: string, wanted: string): Promise<SeenStatus>;
  hasCredential(credential: string): Promise<void>;
  setSecret(token: string): Promise<void>;
}

export async function makeProvidersWorld(): Promise<ProvidersWorld> {
  const cluster = await makeCluster();
  const { namespace: name, admin } = cluster;
  const knobs: Knobs = { mayReport: true, counts: { inFlight: 3, waiting: 1 }, problems: [], lockedOut: undefined };
  const told: (ProviderInput | "removed")[] = [];
  const registry: ProviderRegistry = {
    put: (_, provider) => {
      told.push(provider);
      return knobs.problems;
    },
    remove: () => void told.push("removed"),
    lockedOut: () => knobs.lockedOut,
  };
  const memory = makeMemory();
  const { quotas, providers } = await start({ cluster, knobs, registry, memory });

  const status = async (): Promise<SeenStatus> => {
    const object = await admin.providers.get(name, { signal: signal() });
    return { ...ProviderStatus.parse(object?.status ?? {}), resourceVersion: object?.metadata.resourceVersion };
  };
  return {
    ...{ cluster, name, quotas, providers, memory, knobs, told, status },
    becomes: (type, wanted) => {
      providers.controller.enqueue(name);
      return eventually(status, (seen) => conditionOf(seen, type) === wanted);
    },
    hasCredential: async (credential) => {
      providers.controller.enqueue(name);
      await eventually(
        () => told.at(-1),
        (last) => typeof last === "object" && last.state === "usable" && last.credential === credential,
      );
    },
    setSecret: (token) => writeSecret(cluster, token),
  };
}

async function start({
  cluster,
  knobs,
  registry,
  memory,
}: Parts): Promise<Pick<ProvidersWorld, "quotas" | "providers">> {
  const { operator: transport, namespace, end } = cluster;
  const only = (object: string): { readonly fieldSelector: string } => ({ fieldSelector: `metadata.name=${object}` });
  const reflector = makeReflector<WireProvider>({
    transport,
    kind: PROVIDERS,
    ...only(namespace),
    transform: slimProvider,
  });
  const configMap = makeReflector<ConfigMapObject>({
    transport,
    kind: CONFIG_MAPS,
    namespace,
    ...only(QUOTA_CONFIG_MAP),
  });
  const quotas = makeQuotas(configMap);
  const providers = makeProvidersController({
    ...{ reflector, quotas, registry, namespace, recorder: memory },
    resource: makeResource<WireProvider>(transport, PROVIDERS),
    secrets: makeSecrets({
      resource: makeResource<SecretObject>(transport, SECRETS),
      clock: systemClock,
      settings: { keepMs: 0 },
    }),
    counts: () => Promise.resolve(knobs.counts),
    usage: () => Promise.resolve({ state: "awaited" }),
    mayReport: () => knobs.mayReport,
  });
  void reflector.run(end);
  void configMap.run(end);
  await Promise.all([reflector.whenSynced(signal()), configMap.whenSynced(signal())]);
  void providers.controller.run({ stop: end, force: end });
  return { quotas, providers };
}

/** "True ProviderReady", or "absent". */
export function conditionOf({ conditions = [] }: ProviderStatus, type: string): string {
  const found = conditions.find((condition) => condition.type === type);
  return found ? `${found.status} ${found.reason}` : "absent";
}

async function writeSecret({ admin, namespace }: Cluster, token: string): Promise<void> {
  const data = { token: Buffer.from(token).toString("base64") };
  const exists = await admin.secrets.get(`${namespace}/acme`, { signal: signal() });
  await (exists
    ? admin.secrets.patch(`${namespace}/acme`, { data }, { signal: signal() })
    : admin.secrets.create({ metadata: { name: "acme", namespace }, data }, { signal: signal() }));
}
