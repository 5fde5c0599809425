// A streaming replica of an environment's Postgres, made from a base backup, that confirms every commit before it is
// acknowledged. It is a process of the environment's guardian and goes with it.
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  lchownSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client } from "pg";
import type { Coordinates } from "../../env/attach.ts";
import type { Environment } from "../../env/environment.ts";
import { ask } from "../../env/guardian-client.ts";
import type { Command } from "../../env/guardian-protocol.ts";
import { until } from "./watch.ts";

export interface Replica {
  readonly port: number;
  /** Makes it a primary; resolves when it takes writes. */
  promote(): Promise<void>;
}

const START_LIMIT_MS = 60_000;

/** Resolves when the primary waits for it at every commit. */
export async function startReplica(environment: Environment): Promise<Replica> {
  const { plans, socketPath } = JSON.parse(readFileSync(environment.coordinatesPath, "utf8")) as Coordinates;
  const plan = plans.postgres;
  if (!plan) throw new Error("cannot make a replica: the environment has no Postgres");
  const primary = environment.postgres.adminUrl;
  const folder = join(environment.folder, "postgres", "replica");
  const port = await freePort();
  await copyData(primary, folder, plan);
  const command: Command = {
    ...plan,
    name: "postgres-replica",
    command: withDataAndPort(plan.command, folder, port),
    logFile: environment.part("postgres").logFile.replace(/postgres/, "postgres-replica"),
  };
  await ask(socketPath, { type: "start", command });
  await until(() => isStreaming(primary), START_LIMIT_MS);
  await onServer(primary, async (client) => {
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query("select pg_reload_conf()");
  });
  await until(() => isStreaming(primary, "sync"), START_LIMIT_MS);
  const own = Object.assign(new URL(primary), { port: String(port) }).href;
  return {
    port,
    promote: async () => {
      await until(() =>
        onServer(own, (client) => client.query("select pg_promote(true, 60)")).then(
          () => true,
          () => false,
        ),
      );
    },
  };
}

/** The files of a running server: what changes meanwhile is made whole by the log from the backup's start on. */
async function copyData(primary: string, folder: string, { user }: Command): Promise<void> {
  await onServer(primary, async (client) => {
    await client.query("select pg_create_physical_replication_slot('replica', true)");
    const { rows } = await client.query<{ data: string }>("select current_setting('data_directory') as data");
    const data = rows[0]?.data ?? "";
    await client.query("select pg_backup_start('replica', true)");
    cpSync(data, folder, { recursive: true, preserveTimestamps: true });
    const { rows: labels } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    writeFileSync(join(folder, "backup_label"), labels[0]?.labelfile ?? "");
  });
  const { hostname, password, port, username } = new URL(primary);
  rmSync(join(folder, "postmaster.pid"), { force: true });
  writeFileSync(join(folder, "standby.signal"), "");
  appendFileSync(
    join(folder, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\nprimary_slot_name = 'replica'\n`,
  );
  chmodSync(folder, 0o700);
  if (!user) return;
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of ["", ...names]) lchownSync(join(folder, name), user.uid, user.gid);
}

function withDataAndPort(command: Command["command"], folder: string, port: number): Command["command"] {
  const [file, ...args] = command;
  const place = args.indexOf("-D") + 1;
  return [
    file,
    ...args.map((arg, index) => (index === place ? folder : arg.startsWith("port=") ? `port=${port}` : arg)),
  ];
}

async function isStreaming(primary: string, state?: "sync"): Promise<boolean> {
  return onServer(primary, async (client) => {
    const { rows } = await client.query<{ state: string; sync_state: string }>(
      "select state, sync_state from pg_stat_replication",
    );
    return rows.some((row) => row.state === "streaming" && (state === undefined || row.sync_state === state));
  });
}

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined); // its statement fails by itself
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
