// What an installation needs and does not bring: Postgres with a volume, an object store, a provider. In a namespace of their own, as in life.
import { makeProviderAdmin, type ProviderAdmin } from "../provider/client.ts";
import { referenceOf } from "../cluster/names.ts";
import type { Backend } from "./backend.ts";
import { applyObjects } from "../operator/installation.ts";
import { forwardTo, kubectl, type Forward } from "./site.ts";

export const STORES = "stores";
export const PROVIDER_TOKEN = "simulated";
export const PROVIDER_URL = `http://provider.${STORES}.svc:8080`;
const BUCKET = "outputs";
const OWNER = { name: "genop_owner", password: "owner-of-tables" };
export const LOGIN = { name: "genop_operator", password: "owner-of-nothing" };
const KEY = { accessKeyId: "outputs-key", secretAccessKey: "outputs-secret-key" };
const DATABASE = "genop";
const WAIT = "--timeout=180s";

const variables = (values: Readonly<Record<string, string>>): readonly object[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

interface Server {
  readonly name: string;
  readonly port: number;
  readonly volume: object;
  readonly container: object;
  readonly before?: object;
}

/**
 * A pod with a volume at /data, and its Service. A StatefulSet has never two at once; a Deployment replaces a pod while it ends, and then
 * two Postgres would write to one volume, since each is the first process of its own.
 */
function server({ before, container, name, port, volume }: Server): readonly object[] {
  const labels = { app: name };
  const metadata = { name, namespace: STORES };
  const mounts = [
    { name: "data", mountPath: "/data" },
    { name: "run", mountPath: "/tmp" },
    { name: "run", mountPath: "/var/run/postgresql" },
  ];
  const main = {
    name,
    imagePullPolicy: "IfNotPresent",
    volumeMounts: mounts,
    ports: [{ containerPort: port }],
    ...container,
  };
  const spec = {
    terminationGracePeriodSeconds: 5,
    ...(before && {
      initContainers: [{ name: "before", imagePullPolicy: "IfNotPresent", volumeMounts: mounts, ...before }],
    }),
    containers: [main],
    volumes: [
      { name: "data", ...volume },
      { name: "run", emptyDir: {} },
    ],
  };
  const template = { metadata: { labels }, spec };
  const set = { serviceName: name, selector: { matchLabels: labels }, template };
  return [
    { apiVersion: "apps/v1", kind: "StatefulSet", metadata, spec: set },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port, targetPort: port }] } },
  ];
}

function postgres(image: string): Server {
  const names = { POSTGRES_DB: DATABASE, POSTGRES_USER: OWNER.name, POSTGRES_PASSWORD: OWNER.password };
  const asNobody = { securityContext: { runAsUser: 65532, runAsGroup: 65532 } };
  return {
    name: "postgres",
    port: 5432,
    // Of the node: it outlives the pod.
    volume: { hostPath: { path: "/mnt/genop-postgres", type: "DirectoryOrCreate" } },
    before: {
      image,
      command: ["chown", "65532:65532", "/data", "/var/run/postgresql"],
      securityContext: { runAsUser: 0 },
    },
    container: {
      image,
      env: variables({ PGDATA: "/data/postgres", ...names }),
      readinessProbe: { exec: { command: ["pg_isready", "-h", "127.0.0.1"] }, periodSeconds: 1 },
      ...asNobody,
    },
  };
}

function objectStore(image: string, node: string): Server {
  const bucket = `require("node:fs").mkdirSync("/data/buckets/${BUCKET}", { recursive: true })`;
  return {
    name: "s3",
    port: 7070,
    volume: { emptyDir: {} },
    before: { image: node, command: ["/usr/local/bin/node", "-e", bucket], securityContext: { runAsUser: 0 } },
    container: {
      image,
      args: ["--port", ":7070", "posix", "/data/buckets"],
      env: variables({ ROOT_ACCESS_KEY: KEY.accessKeyId, ROOT_SECRET_KEY: KEY.secretAccessKey }),
      readinessProbe: { tcpSocket: { port: 7070 }, periodSeconds: 1 },
      securityContext: { runAsUser: 0 },
    },
  };
}

function provider(image: string): Server {
  const ports = ["--port", "8080", "--admin-port", "8081", "--host", "0.0.0.0"];
  return {
    name: "provider",
    port: 8080,
    volume: { emptyDir: {} },
    container: {
      image,
      args: ["--data", "/data", "--token", PROVIDER_TOKEN, ...ports],
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
      securityContext: { runAsUser: 0 },
    },
  };
}

/** Applies all of them, and waits until they answer. */
export async function bringStores(backend: Backend): Promise<void> {
  const { images } = backend;
  const product = referenceOf(images.product);
  const servers = [postgres(images.postgres), objectStore(images.objectStore, product), provider(images.provider)];
  await applyObjects(backend, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: STORES } }]);
  await applyObjects(backend, servers.flatMap(server));
  for (const { name } of servers) await untilReady(backend, name);
  const sql = `create role ${LOGIN.name} login password '${LOGIN.password}'`;
  await psql(backend, sql);
}

export async function untilReady(backend: Backend, name: string): Promise<void> {
  await kubectl(backend, ["--namespace", STORES, "rollout", "status", `statefulset/${name}`, WAIT]);
}

/** Runs a statement as the owner, inside of the database's pod. */
export async function psql(backend: Backend, statement: string): Promise<string> {
  const command = [
    "psql",
    `--username=${OWNER.name}`,
    `--dbname=${DATABASE}`,
    "--tuples-only",
    "--no-align",
    "--command",
    statement,
  ];
  return kubectl(backend, ["--namespace", STORES, "exec", "statefulset/postgres", "--", ...command]);
}

const urlOf = ({ name, password }: typeof OWNER, host: string): string =>
  `postgres://${name}:${password}@${host}/${DATABASE}`;

/** The Secrets that the chart's values name, for a release in this namespace. */
export function storeSecrets(namespace: string, login = LOGIN): readonly object[] {
  const secret = (name: string, stringData: object): object => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    stringData,
  });
  const host = `postgres.${STORES}:5432`;
  return [
    secret("genop-database", { url: urlOf(login, host), ownerURL: urlOf(OWNER, host) }),
    secret("genop-bucket", { accessKeyID: KEY.accessKeyId, secretAccessKey: KEY.secretAccessKey }),
  ];
}

/** The chart's values for these stores. */
export const STORE_VALUES = {
  database: { secretName: "genop-database", appLogin: LOGIN.name },
  objectStore: {
    bucket: BUCKET,
    endpoint: `http://s3.${STORES}:7070`,
    forcePathStyle: true,
    secretName: "genop-bucket",
  },
} as const;

export interface OpenStores {
  readonly provider: ProviderAdmin;
  readonly s3: { readonly endpoint: string; readonly region: string; readonly bucket: string } & typeof KEY;
  /** As the owner; another one after the database's pod was another. */
  databaseUrl(): Promise<string>;
  close(): void;
}

/** Ways to the stores from outside. */
export async function openStores(backend: Backend): Promise<OpenStores> {
  const open: Forward[] = [];
  const to = async (name: string, port: number): Promise<number> => {
    const forward = await forwardTo(backend, STORES, `statefulset/${name}`, port);
    open.push(forward);
    return forward.port;
  };
  const [admin, objects] = [await to("provider", 8081), await to("s3", 7070)];
  return {
    provider: makeProviderAdmin(`http://127.0.0.1:${admin}`),
    s3: { endpoint: `http://127.0.0.1:${objects}`, region: "us-east-1", bucket: BUCKET, ...KEY },
    databaseUrl: async () => urlOf(OWNER, `127.0.0.1:${await to("postgres", 5432)}`),
    close: () => {
      for (const forward of open) forward.close();
    },
  };
}
