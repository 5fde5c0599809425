// The processes of the chart's roles, started with the environment variables, the account and the program that the chart gives their pods, on
// a test environment.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { makePool } from "../../operator/postgres/pool.ts";
import type { Environment } from "../env/environment.ts";
import { startOperator, type OperatorProcess } from "../operator/process.ts";
import type { Rendered } from "./helm.ts";
import { containerOf } from "./pods.ts";
import { environmentOf, ROLES } from "./roles.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const NAME = "genop-generation-operator";
const LIMIT_MS = 120_000;
const LOGINS = { app: "app", receiver: "hooks", reader: "auditor" } as const;

export interface Started {
  readonly process: OperatorProcess;
  /** That it says it listens on. */
  readonly port: number;
}

export interface Running {
  /** A role that serves; resolves when it has logged the event. */
  start(chart: readonly Rendered[], role: string, event: string, pod?: string): Promise<Started>;
  /** A role that ends; resolves to its standard output, and rejects with what it said when it failed. */
  once(chart: readonly Rendered[], role: string): Promise<string>;
  stop(): Promise<void>;
}

/** With a database of their own, and the logins `app`, `hooks` and `auditor`. */
export async function makeRunning(environment: Environment, namespace: string): Promise<Running> {
  const database = new URL(await environment.postgres.makeDatabase("genop"));
  const urlOf = (login: string): string => Object.assign(new URL(database), { username: login, password: login }).href;
  const pool = makePool({ url: database.href, applicationName: "chart", maxConnections: 1 });
  for (const login of Object.values(LOGINS)) await pool.query(`create role ${login} login password '${login}'`);
  await pool.end();
  const stores = {
    ...{ DATABASE_URL: urlOf(LOGINS.app), RECEIVER_DATABASE_URL: urlOf(LOGINS.receiver) },
    ...{ EVIDENCE_DATABASE_URL: urlOf(LOGINS.reader), VERIFY_DATABASE_URL: urlOf(LOGINS.reader) },
    MIGRATE_DATABASE_URL: database.href,
    ...bucketOf(environment),
  };
  const variablesOf = async (chart: readonly Rendered[], role: string): Promise<Readonly<Record<string, string>>> => {
    const account = role === "operator" ? NAME : `${NAME}-${role}`;
    const places = { ...stores, ...PORTS, OPERATOR_NAMESPACE: namespace };
    const known = Object.entries(places).filter(([name]) => ROLES[role]?.variables.includes(name) ?? false);
    const given = { ...environmentOf(containerOf(chart, role).env ?? []), ...Object.fromEntries(known) };
    const hasAccount = chart.some(({ kind, metadata }) => kind === "ServiceAccount" && metadata.name === account);
    if (!hasAccount) return given;
    return { ...given, KUBECONFIG: (await environment.tokenFor(`${namespace}/${account}`)).kubeconfigPath };
  };
  const running: OperatorProcess[] = [];
  return {
    start: async (chart, role, event, pod = role) => {
      const variables = { ...(await variablesOf(chart, role)), POD_NAME: pod };
      const main = join(ROOT, containerOf(chart, role).args?.[0] ?? "");
      const process = startOperator({ variables }, { main, logFile: join(environment.folder, "logs", `${pod}.log`) });
      running.push(process);
      const { port } = await process.logged((line) => line.event === event, AbortSignal.timeout(LIMIT_MS));
      return { process, port: Number(port) };
    },
    once: async (chart, role) => {
      const env = { PATH: process.env.PATH, ...(await variablesOf(chart, role)) };
      const main = join(ROOT, ROLES[role]?.entry ?? "");
      return (await run(process.execPath, [main], { env, timeout: LIMIT_MS })).stdout;
    },
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}

/** Any free one. */
const PORTS = { HTTP_PORT: "0", REST_PORT: "0", RECEIVER_PORT: "0", EVIDENCE_PORT: "0" };

function bucketOf({ s3 }: Environment): Readonly<Record<string, string>> {
  const { accessKeyId, bucket, endpoint, region, secretAccessKey } = s3;
  const place = { S3_ENDPOINT: endpoint, S3_REGION: region, S3_BUCKET: bucket, S3_FORCE_PATH_STYLE: "true" };
  return { ...place, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
}
