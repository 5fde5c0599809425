// Installs the operator, and the REST face, into an environment as a cluster's administrator would: CRDs, namespace, service
// accounts with exactly their own rights, database with its own role, object store. Starts no process of them.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { renderShimRbac } from "../../api-shim/rights.ts";
import { renderRbac } from "../../operator/kube/rbac.ts";
import { makePool } from "../../operator/postgres/pool.ts";
import { runMigrations } from "../../operator/postgres/migrate-job.ts";
import type { ServiceAccountAccess } from "../env/access.ts";
import type { AttachedEnvironment } from "../env/attach.ts";
import { kubectl } from "../env/kubectl.ts";
import type { Cluster } from "../env/kubectl.ts";

export const NAMESPACE = "genop-system";
export const LEASE = "generation-operator";
const CRDS = ["generationtasks.yaml", "generationproviders.yaml", "creditgrants.yaml"];

export interface Installation {
  readonly environment: AttachedEnvironment;
  /** The operator's own kubeconfig: a real token of its service account. */
  readonly kubeconfigPath: string;
  /** As the role of the application. */
  readonly databaseUrl: string;
  /** The variables that the operator's process needs. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Where the operator lives, and what its account and the names of its rights are called. */
export interface InstallNames {
  readonly namespace: string;
  /** Undefined: no account is made, and the operator acts as the administrator. */
  readonly account: string | undefined;
  /** With the rights that SHARDS above 1 needs. Default: without. */
  readonly sharded?: boolean;
}

export const NAMES: InstallNames = { namespace: NAMESPACE, account: LEASE };

export async function install(environment: AttachedEnvironment, names = NAMES): Promise<Installation> {
  const [databaseUrl] = await Promise.all([makeDatabase(environment), applyCrds(environment)]);
  const kubeconfigPath = await makeAccount(environment, names);
  const { s3 } = environment;
  const variables = {
    KUBECONFIG: kubeconfigPath,
    DATABASE_URL: databaseUrl,
    OPERATOR_NAMESPACE: names.namespace,
    LEASE_NAME: LEASE,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_FORCE_PATH_STYLE: "true",
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    HTTP_HOST: "127.0.0.1",
    HTTP_PORT: "0",
  };
  return { environment, kubeconfigPath, databaseUrl, variables };
}

async function applyCrds(environment: AttachedEnvironment): Promise<void> {
  const folder = join(import.meta.dirname, "..", "..", "crds");
  const texts = await Promise.all(CRDS.map((file) => readFile(join(folder, file), "utf8")));
  await kubectl(environment, ["apply", "--server-side", "-f", "-"], { input: texts.join("\n---\n") });
  const names = ["generationtasks", "generationproviders", "creditgrants"].map((plural) => `crd/${plural}.genop.dev`);
  await kubectl(environment, ["wait", "--for=condition=Established", "--timeout=30s", ...names]);
}

/** The namespace, and the kubeconfig of who the operator is in it. */
async function makeAccount(
  environment: AttachedEnvironment,
  { account, namespace, sharded = false }: InstallNames,
): Promise<string> {
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  if (account === undefined) {
    await applyObjects(environment, [home]);
    return environment.kubeconfigPath;
  }
  const objects = [
    home,
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } },
    ...renderRbac({
      name: account,
      namespace,
      serviceAccount: account,
      leases: [LEASE],
      sharded,
      inputSecrets: "everywhere",
    }),
  ];
  await applyObjects(environment, objects);
  return (await environment.tokenFor(`${namespace}/${account}`)).kubeconfigPath;
}

const SHIM = "genop-rest";

/** The REST face's account in this namespace, with its own rights; its kubeconfig and token. */
export async function installShim(environment: AttachedEnvironment, namespace: string): Promise<ServiceAccountAccess> {
  await applyObjects(environment, [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: SHIM } },
    ...renderShimRbac({ name: namespace, namespace, serviceAccount: SHIM }),
  ]);
  return environment.tokenFor(`${namespace}/${SHIM}`);
}

/** Applies objects as the administrator. */
export async function applyObjects(environment: Cluster, objects: readonly object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  await kubectl(environment, ["apply", "--server-side", "--force-conflicts", "-f", "-"], { input });
}

/** A database with the schema, owned by the administrator, and a login role that may do only what the operator must. */
async function makeDatabase(environment: AttachedEnvironment): Promise<string> {
  const suffix = randomBytes(6).toString("hex");
  const login = `genop_${suffix}`;
  const password = randomBytes(12).toString("hex");
  const ownerUrl = await environment.postgres.makeDatabase(`genop_${suffix}`);
  const admin = makePool({ url: ownerUrl, applicationName: "install", maxConnections: 1 });
  try {
    await admin.query(`create role ${login} login password '${password}'`);
  } finally {
    await admin.end();
  }
  await runMigrations({ url: ownerUrl, password: undefined, members: [{ group: "genop_app", login }] });
  const url = new URL(ownerUrl);
  url.username = login;
  url.password = password;
  return url.toString();
}
