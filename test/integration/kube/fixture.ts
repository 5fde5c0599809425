// What the tests of operator/kube share: the operator's own account with exactly the rights of rbac.ts in a namespace of
// the test file's own, the administrator's hands, and ways to wait for what the API server says.
import { randomBytes } from "node:crypto";
import { jest } from "@jest/globals";
import { CONFIG_MAPS, GRANTS, NAMESPACES, PROVIDERS, SECRETS, TASKS } from "../../../operator/kube/kinds.ts";
import { loadKubeConfig } from "../../../operator/kube/kubeconfig.ts";
import { renderRbac } from "../../../operator/kube/rbac.ts";
import type { SecretObject } from "../../../operator/kube/secrets.ts";
import type { WireTask } from "../../../operator/kube/task-object.ts";
import type { KubeObject, ResourceKind } from "../../../operator/runtime/objects.ts";
import { makeRecorder, type Happening, type Recorder } from "../../../operator/runtime/recorder.ts";
import { makeResource, type Resource } from "../../../operator/runtime/resources.ts";
import { makeTransport, type Transport } from "../../../operator/runtime/transport.ts";
import type { AttachedEnvironment } from "../../env/attach.ts";
import { kubectl } from "../../env/kubectl.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { installDefinitions } from "../crds/api-server.ts";

/** Of one wait. A test's own limit is longer, so that it is the wait that says what did not come. */
const WAIT_MS = 45_000;
export const LIMIT_MS = 60_000;
jest.setTimeout(LIMIT_MS);

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface Cluster {
  /** Where the operator lives. This one and the next are this file's own. */
  readonly namespace: string;
  /** Where tasks live: the one namespace in which the operator may read Secrets for them. */
  readonly tenant: string;
  readonly operator: Transport;
  readonly admin: {
    readonly transport: Transport;
    readonly tasks: Resource<WireTask>;
    readonly providers: Resource<WireTask>;
    readonly grants: Resource<WireTask>;
    readonly secrets: Resource<SecretObject>;
    readonly configMaps: Resource<ConfigMap>;
    readonly namespaces: Resource<KubeObject>;
  };
  /** Aborted at the end: what runs until stopped, runs on it. */
  readonly end: AbortSignal;
  close(): Promise<void>;
}

export async function makeCluster(): Promise<Cluster> {
  const environment = sharedEnvironment();
  const namespace = `kube-${randomBytes(4).toString("hex")}`;
  await installDefinitions(environment);
  await makeAccount(environment, namespace);

  const { kubeconfigPath } = await environment.tokenFor(`${namespace}/operator`);
  const operator = makeTransport({ kubeConfig: loadKubeConfig(kubeconfigPath) });
  const transport = makeTransport({ kubeConfig: loadKubeConfig(environment.kubeconfigPath) });
  const end = new AbortController();
  const tenant = tenantOf(namespace);
  return {
    namespace,
    tenant,
    operator,
    admin: adminOf(transport),
    end: end.signal,
    close: async () => {
      end.abort(new Error("the test is over"));
      const roles = [namespace, `${namespace}-inputs`];
      await kubectl(environment, ["delete", "clusterrole,clusterrolebinding", ...roles, "--ignore-not-found"]);
      await kubectl(environment, ["delete", "namespace", namespace, tenant, "--wait=false"]);
      await Promise.all([operator.close(), transport.close()]);
    },
  };
}

function tenantOf(namespace: string): string {
  return `${namespace}-tenant`;
}

async function makeAccount(environment: AttachedEnvironment, namespace: string): Promise<void> {
  const tenant = tenantOf(namespace);
  const names = { name: namespace, namespace, serviceAccount: "operator", leases: ["lease"] };
  const rbac = "rbac.authorization.k8s.io";
  const items = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: tenant, labels: { tenant: "true" } } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "operator", namespace } },
    ...renderRbac({ ...names, inputSecrets: "bound" }),
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: "inputs", namespace: tenant },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: `${namespace}-inputs` },
      subjects: [{ kind: "ServiceAccount", name: "operator", namespace }],
    },
  ];
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  await kubectl(environment, ["create", "-f", "-"], { input });
}

function adminOf(transport: Transport): Cluster["admin"] {
  const of = <T extends KubeObject>(kind: ResourceKind): Resource<T> => makeResource<T>(transport, kind);
  return {
    transport,
    tasks: of(TASKS),
    providers: of(PROVIDERS),
    grants: of(GRANTS),
    secrets: of(SECRETS),
    configMaps: of(CONFIG_MAPS),
    namespaces: of(NAMESPACES),
  };
}

export function signal(): AbortSignal {
  return AbortSignal.timeout(WAIT_MS);
}

export function taskManifest(
  namespace: string,
  name: string,
  over: { spec?: object; metadata?: object } = {},
): WireTask {
  return {
    apiVersion: "genop.dev/v1alpha1",
    kind: "GenerationTask",
    metadata: { name, namespace, ...over.metadata },
    spec: {
      providerRef: { name: "simulated" },
      model: "sim-image",
      input: { prompt: "a harbour", num_outputs: 2 },
      ...over.spec,
    },
  };
}

/** Calls until the answer is as wanted; each call is one to the API server, so that nothing spins. Fails with the last answer. */
export async function eventually<T>(ask: () => Promise<T> | T, wanted: (answer: T) => boolean): Promise<T> {
  const limit = signal();
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (limit.aborted) throw new Error(`it never came: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A recorder that remembers, for tests that are not about what the API server makes of events. */
export function makeMemory(): Pick<Recorder, "record"> & {
  readonly happenings: readonly Happening[];
  reasons(): readonly string[];
} {
  const happenings: Happening[] = [];
  return {
    happenings,
    record: (happening) => void happenings.push(happening),
    reasons: () => happenings.map(({ type, reason }) => `${type} ${reason}`),
  };
}

/** A recorder that writes to the API server as the operator. */
export function startRecorder(cluster: Cluster): Recorder {
  const recorder = makeRecorder({ transport: cluster.operator, controller: "genop.dev/operator", instance: "test" });
  void recorder.run({ stop: cluster.end, force: cluster.end });
  return recorder;
}

export interface EventObject extends KubeObject {
  readonly reason: string;
  readonly type: string;
  readonly note: string;
  readonly regarding: { readonly name: string; readonly kind: string; readonly namespace?: string };
}

/** The events about an object of this name, as `kubectl get events` would show them. */
export async function eventsAbout(cluster: Cluster, name: string): Promise<readonly EventObject[]> {
  const kind = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };
  const events: EventObject[] = [];
  const resource = makeResource<EventObject>(cluster.admin.transport, kind);
  for await (const event of resource.list({}, { signal: signal() })) {
    const isOurs = event.regarding.namespace?.startsWith(cluster.namespace) === true;
    if (isOurs && event.regarding.name === name) events.push(event);
  }
  return events;
}
