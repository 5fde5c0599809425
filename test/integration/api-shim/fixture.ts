// A shim, or several, on the real API server and object store: each with its own transport, watch and port, and with exactly the
// rights of api-shim/rights.ts. Namespaces and accounts are the file's own.
import { randomBytes } from "node:crypto";
import { readConfig } from "../../../api-shim/config.ts";
import { makeShim } from "../../../api-shim/wiring.ts";
import { TASKS } from "../../../operator/kube/kinds.ts";
import { loadKubeConfig } from "../../../operator/kube/kubeconfig.ts";
import type { WireTask } from "../../../operator/kube/task-object.ts";
import { makeResource, type Resource } from "../../../operator/runtime/resources.ts";
import { makeTransport, type Transport } from "../../../operator/runtime/transport.ts";
import type { AttachedEnvironment } from "../../env/attach.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { applyObjects, installShim } from "../../operator/installation.ts";
import { accountObjects } from "../../operator/tenancy.ts";
import { installDefinitions } from "../crds/api-server.ts";

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RunningShim {
  readonly url: string;
  readonly port: number;
  readonly lines: readonly LogLine[];
  /** In good order. */
  stop(): Promise<string>;
}

export interface World {
  readonly environment: AttachedEnvironment;
  /** Where the shim's account lives, and two tenants. The second one's token has no right in the first. */
  readonly home: string;
  readonly tenant: string;
  readonly stranger: string;
  readonly tokens: {
    readonly tenant: string;
    readonly stranger: string;
    readonly reader: string;
    readonly shim: string;
  };
  readonly admin: Transport;
  readonly tasks: Resource<WireTask>;
  /** By the administrator. */
  setStatus(id: string, status: object): Promise<WireTask>;
  start(variables?: Readonly<Record<string, string>>): Promise<RunningShim>;
  close(): Promise<void>;
}

/** An account that may do everything with tasks, and one that may only read them. */
function accountsIn(namespace: string): readonly object[] {
  const reading = [{ resources: ["generationtasks"], verbs: ["get", "list", "watch"] }];
  return [...accountObjects(namespace, "maker"), ...accountObjects(namespace, "reader", reading)];
}

export async function makeWorld(): Promise<World> {
  const environment = sharedEnvironment();
  const suffix = randomBytes(4).toString("hex");
  const [home, tenant, stranger] = [`rest-${suffix}`, `studio-${suffix}`, `stranger-${suffix}`];
  await installDefinitions(environment);
  await applyObjects(environment, [home, tenant, stranger].map(namespaceOf));
  await applyObjects(environment, [...accountsIn(tenant), ...accountsIn(stranger)]);
  const shim = await installShim(environment, home);
  const [maker, reader, other] = await Promise.all(
    [`${tenant}/maker`, `${tenant}/reader`, `${stranger}/maker`].map((account) => environment.tokenFor(account)),
  );
  if (!maker || !reader || !other) throw new Error("cannot make the accounts");
  const admin = makeTransport({ kubeConfig: loadKubeConfig(environment.kubeconfigPath) });
  const tasks = makeResource<WireTask>(admin, TASKS);
  const running = new Set<RunningShim>();
  return {
    ...{ environment, home, tenant, stranger, admin, tasks },
    tokens: { tenant: maker.token, stranger: other.token, reader: reader.token, shim: shim.token },
    setStatus: (id, status) => tasks.patchStatus(`${tenant}/${id}`, { status }, { signal: limit() }),
    start: async (variables) => {
      const one = await startShim(environment, shim.kubeconfigPath, variables);
      running.add(one);
      return one;
    },
    close: async () => {
      await Promise.all([...running].map((one) => one.stop()));
      await forget(admin, home, [tenant, stranger]);
      await admin.close();
    },
  };
}

function namespaceOf(name: string): object {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

async function forget(admin: Transport, home: string, others: readonly string[]): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const paths = [
    ...[home, ...others].map((name) => `/api/v1/namespaces/${name}`),
    ...["clusterroles", "clusterrolebindings"].map((plural) => `${rbac}/${plural}/${home}`),
  ];
  await Promise.all(
    paths.map((path) => admin.request({ method: "DELETE", path }, { signal: limit() }).catch(() => undefined)),
  );
}

/** The limit of one call of a test. */
export function limit(): AbortSignal {
  return AbortSignal.timeout(25_000);
}

export function variablesOf({ s3 }: AttachedEnvironment, kubeconfigPath: string): Readonly<Record<string, string>> {
  return {
    KUBECONFIG: kubeconfigPath,
    REST_HOST: "127.0.0.1",
    REST_PORT: "0",
    HTTP_HOST: "127.0.0.1",
    HTTP_PORT: "0",
    QUIET_SECONDS: "0",
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_FORCE_PATH_STYLE: "true",
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
}

export async function startShim(
  environment: AttachedEnvironment,
  kubeconfigPath: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningShim> {
  const config = readConfig({ ...variablesOf(environment, kubeconfigPath), ...variables });
  const lines: LogLine[] = [];
  const port = Promise.withResolvers<number>();
  const shim = makeShim(config, {
    log: (level, event, fields = {}) => void lines.push({ level, event, fields }),
    listening: port.resolve,
  });
  const stop = new AbortController();
  const force = new AbortController();
  const ended = shim.run({ stop: stop.signal, force: force.signal });
  const listening = await Promise.race([
    port.promise,
    ended.then((outcome) => Promise.reject(new Error(`the shim ended first: ${JSON.stringify(outcome)}`))),
  ]);
  return {
    url: `http://127.0.0.1:${listening}`,
    port: listening,
    lines,
    stop: async () => {
      stop.abort(new Error("the test is over"));
      const { ended: how, leftBehind } = await ended;
      return [how, ...leftBehind].join(" ");
    },
  };
}
