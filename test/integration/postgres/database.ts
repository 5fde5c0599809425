// A database for one test file, migrated as in production: an owner that is no superuser, and a login role with the
// application's rights. Made from one template per run.
import { createHash } from "node:crypto";
import { Client } from "pg";
import type { Pool } from "pg";
import { readMigrations } from "../../../operator/postgres/migrate.ts";
import { runMigrations } from "../../../operator/postgres/migrate-job.ts";
import { makePool } from "../../../operator/postgres/pool.ts";
import type { PoolSettings } from "../../../operator/postgres/pool.ts";
import type { AttachedEnvironment } from "../../env/attach.ts";
import { freshDatabase, sharedEnvironment } from "../../env/shared.ts";

const OWNER = "genop_books_owner";
const LOGIN = "genop_books_login";
const RECEIVER = "genop_books_receiver";
const READER = "genop_books_reader";
const PASSWORD = "for-tests-only";

export interface TestDatabase {
  readonly superuserUrl: string;
  readonly ownerUrl: string;
  readonly loginUrl: string;
  /** A login that may read everything and write nothing. */
  readonly readerUrl: string;
  /** A login that may hand webhooks in and do nothing else. */
  readonly receiverUrl: string;
  /** A pool of the login role; ended by `close`. */
  pool(settings?: Partial<PoolSettings>): Pool;
  /** Runs statements as the superuser, in one session. */
  asSuperuser<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Choice {
  /** False gives an empty database with its roles. */
  readonly isMigrated?: boolean;
  /** Where; the one that all tests share unless told. */
  readonly environment?: AttachedEnvironment;
}

export async function openDatabase(choice: Choice = {}): Promise<TestDatabase> {
  const { environment = sharedEnvironment(), isMigrated = true } = choice;
  const template = isMigrated
    ? { template: await environment.postgres.template(await templateName(), (url) => prepare(url, true)) }
    : {};
  const fresh = await freshDatabase(environment, template);
  if (!isMigrated) await prepare(fresh.url, false);
  const { url } = fresh;
  const pools: Pool[] = [];
  const loginUrl = asRole(url, LOGIN);
  return {
    superuserUrl: url,
    ownerUrl: asRole(url, OWNER),
    loginUrl,
    readerUrl: asRole(url, READER),
    receiverUrl: asRole(url, RECEIVER),
    pool: (settings = {}) => {
      const pool = makePool({ url: loginUrl, applicationName: "books-test", maxConnections: 20, ...settings });
      pools.push(pool);
      return pool;
    },
    asSuperuser: (work) => connected(url, work),
    close: async () => {
      await Promise.all(pools.filter(({ ended }) => !ended).map((pool) => pool.end()));
      await fresh.drop();
    },
  };
}

/** What test/mutants/schema takes away from the schema, to see which test misses it. */
const MUTANT = process.env.GENOP_SCHEMA_MUTANT ?? "";

/** Named after the files, so that an environment that lives longer than they do gets a new one. */
async function templateName(): Promise<string> {
  const checksums = (await readMigrations()).map(({ checksum }) => checksum);
  return `genop_books_${createHash("sha256")
    .update([...checksums, MUTANT].join())
    .digest("hex")
    .slice(0, 16)}`;
}

async function prepare(url: string, isMigrated: boolean): Promise<void> {
  await connected(url, async (client) => {
    for (const role of [
      "genop_app nologin",
      "genop_reader nologin",
      "genop_receiver nologin",
      `${OWNER} login password '${PASSWORD}'`,
      `${LOGIN} login password '${PASSWORD}'`,
      `${READER} login password '${PASSWORD}'`,
      `${RECEIVER} login password '${PASSWORD}'`,
    ])
      await client.query(
        `do $$ begin create role ${role}; exception when duplicate_object or unique_violation then null; end $$`,
      );
    await client.query(`grant genop_app to ${LOGIN}`);
    await client.query(`grant genop_reader to ${READER}`);
    await client.query(`grant genop_receiver to ${RECEIVER}`);
    await client.query(
      `do $$ begin execute format('grant create on database %I to ${OWNER}', current_database()); end $$`,
    );
  });
  if (!isMigrated) return;
  await runMigrations({ url: asRole(url, OWNER), password: undefined, members: [] });
  if (MUTANT !== "") await connected(url, (client) => client.query(MUTANT));
}

function asRole(url: string, role: string): string {
  const changed = new URL(url);
  changed.username = role;
  changed.password = PASSWORD;
  return changed.href;
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined); // its statement fails by itself
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
