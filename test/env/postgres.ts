// Postgres of a fixed version, and databases in it for tests.
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { PartPlan } from "./part.ts";
import { postgresUser, readablePostgres } from "./postgres-user.ts";
import type { Start } from "./start.ts";

export interface PostgresOptions {
  /** Off unless told: tests kill processes, not machines. Benchmarks of the database want it on. */
  readonly fsync?: boolean;
}

export interface PostgresAddress {
  /** Of the superuser, to the database `postgres`. */
  readonly adminUrl: string;
  readonly port: number;
}

export interface Postgres extends PostgresAddress {
  /** Creates a database and returns its URL. */
  makeDatabase(name: string, options?: { readonly template?: string }): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  /** Makes a database to copy from, once, whichever process comes first; returns its name. */
  template(name: string, prepare: (url: string) => Promise<void>): Promise<string>;
}

const MAX_CONNECTIONS = 200;
const DATABASE_NAME = /^[a-z][a-z0-9_]{0,62}$/;

function settings(port: number, { fsync = false }: PostgresOptions): readonly string[] {
  const values = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: MAX_CONNECTIONS,
    dynamic_shared_memory_type: "mmap", // in the data folder, so that it goes with it even after a kill
    ...(!fsync && { fsync: "off", full_page_writes: "off" }),
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Makes a cluster and starts it. */
export async function startPostgres(
  start: Start,
  options: PostgresOptions,
  named: string | undefined,
): Promise<PostgresAddress> {
  const user = postgresUser();
  const folder = join(start.folder, "postgres");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o711);
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  mkdirSync(data, { mode: 0o700 });
  const password = randomBytes(18).toString("hex");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [data, passwordFile]) chownSync(path, user.uid, user.gid);

  const program = readablePostgres(start.folder, user, named);
  const common = {
    ...(user && { user }),
    variables: { LC_ALL: "C", TZ: "UTC" },
    stopSignal: "SIGINT",
    quitSignal: "SIGQUIT",
  } as const;
  const initdb = [
    "--pgdata",
    data,
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ];
  await start.command({
    ...common,
    name: "initdb",
    command: [join(program, "bin", "initdb"), ...initdb],
    logFile: start.logFile("initdb"),
  });

  const urlAt = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const [port] = await start.part(([candidate]): PartPlan => ({
    ...common,
    name: "postgres",
    command: [join(program, "bin", "postgres"), "-D", data, ...settings(candidate, options)],
    logFile: start.logFile("postgres"),
    ready: { type: "postgres", url: urlAt(candidate) },
  }));
  return { adminUrl: urlAt(port), port };
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined); // its query fails by itself
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

function checked(name: string): string {
  if (!DATABASE_NAME.test(name))
    throw new Error(`cannot use "${name}" as a database name: it must match ${String(DATABASE_NAME)}`);
  return name;
}

async function prepareTemplate(adminUrl: string, name: string, prepare: (url: string) => Promise<void>): Promise<void> {
  await connected(adminUrl, async (client) => {
    // The lock is held by this connection for as long as it lives; the name appears only when the template is complete.
    await client.query("select pg_advisory_lock(hashtext($1))", [name]);
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (rowCount === 1) return;
    const unfinished = checked(`unfinished_${name}`);
    await client.query(`drop database if exists ${unfinished}`);
    await client.query(`create database ${unfinished}`);
    await prepare(urlOf(adminUrl, unfinished));
    await client.query(`alter database ${unfinished} rename to ${name}`);
  });
}

/** Databases in the Postgres at this address; works from any process. */
export function makePostgres(address: PostgresAddress): Postgres {
  const { adminUrl } = address;
  return {
    ...address,
    makeDatabase: async (name, options = {}) => {
      const copy = options.template === undefined ? "" : ` template ${checked(options.template)}`;
      await connected(adminUrl, (client) => client.query(`create database ${checked(name)}${copy}`));
      return urlOf(adminUrl, name);
    },
    dropDatabase: async (name) => {
      await connected(adminUrl, (client) => client.query(`drop database if exists ${checked(name)} with (force)`));
    },
    template: async (name, prepare) => {
      await prepareTemplate(adminUrl, checked(name), prepare);
      return name;
    },
  };
}
