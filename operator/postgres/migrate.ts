// Brings the schema up to date, and tells whether a schema may be used. Files are applied in order, once, all in one transaction.
// A file never changes after its release; one that old versions can't live with says "-- breaking" on its first line.
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import type { Pool } from "pg";
import { PostgresFault, faultOf } from "./faults.ts";
import { MIGRATION_LOCK } from "./locks.ts";
import { inPlainTransaction } from "./transaction.ts";
import type { Transaction } from "./transaction.ts";

export interface Migration {
  readonly version: number;
  /** The file's name. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file. */
  readonly checksum: string;
  readonly breaking: boolean;
}

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly breaking: boolean;
}

const FOLDER = path.join(import.meta.dirname, "migrations");
const FILE_NAME = /^([0-9]{4})_[a-z0-9_]+\.sql$/;
const BREAKING = /^-- breaking\b/;

// The schema may have been made by a database administrator, for an owner who may not make one.
const SCHEMA = "do $$ begin if to_regnamespace('genop') is null then create schema genop; end if; end $$";
const BOOKKEEPING = `
create table if not exists genop.migrations (
  version    integer primary key,
  name       text not null,
  checksum   text not null,
  breaking   boolean not null,
  applied_at timestamptz not null default clock_timestamp()
)`;

/** The migrations that this version brings, in order. */
export async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => FILE_NAME.test(name)).sort();
  return Promise.all(names.map(readMigration));
}

async function readMigration(name: string): Promise<Migration> {
  const sql = await readFile(path.join(FOLDER, name), "utf8");
  return {
    version: Number(name.slice(0, 4)),
    name,
    sql,
    checksum: createHash("sha256").update(sql).digest("hex"),
    breaking: BREAKING.test(sql),
  };
}

/**
 * Applies what is missing, as the role that will own the tables; answers the names of the files applied, if any.
 * Several at once wait for each other. SCHEMA_NEW: the database has a breaking migration that this version does not know.
 */
export async function migrate(pool: Pool, migrations: readonly Migration[]): Promise<readonly string[]> {
  return inPlainTransaction(pool, async (transaction) => {
    await transaction.rows(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    // A migration waits for running transactions no longer than this, but may itself work for as long as it needs.
    await transaction.rows("set local statement_timeout = 0");
    await transaction.rows(SCHEMA);
    await transaction.rows(BOOKKEEPING);
    const missing = missingFrom(await appliedIn(transaction), migrations);
    for (const migration of missing) await apply(transaction, migration);
    return missing.map(({ name }) => name);
  });
}

async function apply(transaction: Transaction, migration: Migration): Promise<void> {
  const { breaking, checksum, name, version } = migration;
  try {
    await transaction.rows(migration.sql);
  } catch (error) {
    const { code, sqlState } = faultOf(error);
    throw new PostgresFault(code, { sqlState, about: name });
  }
  await transaction.rows("insert into genop.migrations (version, name, checksum, breaking) values ($1, $2, $3, $4)", [
    version,
    name,
    checksum,
    breaking,
  ]);
}

async function appliedIn(transaction: Transaction): Promise<readonly Applied[]> {
  return transaction.rows<Applied>("select version, name, checksum, breaking from genop.migrations order by version");
}

/** What has still to be applied. Throws when the database knows more than is safe, or something else under a known number. */
export function missingFrom(applied: readonly Applied[], known: readonly Migration[]): readonly Migration[] {
  const byVersion = new Map(applied.map((migration) => [migration.version, migration]));
  const versions = new Set(known.map(({ version }) => version));
  const unknown = applied.find(({ breaking, version }) => breaking && !versions.has(version));
  if (unknown) throw new PostgresFault("SCHEMA_NEW", { about: unknown.name });
  for (const { checksum, name, version } of known) {
    const before = byVersion.get(version);
    if (before && before.checksum !== checksum) throw new PostgresFault("MIGRATION_CHANGED", { about: name });
  }
  return known.filter(({ version }) => !byVersion.has(version));
}

/** Throws unless this version can work with the schema: SCHEMA_OLD, SCHEMA_NEW or MIGRATION_CHANGED. */
export async function checkSchema(pool: Pool, migrations: readonly Migration[], signal?: AbortSignal): Promise<void> {
  const read = async (transaction: Transaction): Promise<readonly Applied[]> => {
    const [found] = await transaction.rows<{ table: string | null }>(
      `select to_regclass('genop.migrations')::text as "table"`,
    );
    return found?.table ? appliedIn(transaction) : [];
  };
  const applied = await inPlainTransaction(pool, read, signal);
  const [missing] = missingFrom(applied, migrations);
  if (missing) throw new PostgresFault("SCHEMA_OLD", { about: missing.name });
}

export interface Membership {
  /** Made by the migrations. */
  readonly group: "genop_app" | "genop_receiver" | "genop_reader";
  readonly login: string;
}

/** Lets a login role, which must exist, act as the operator, the receiver, or who reads the books. */
export async function grantMembership(pool: Pool, { group, login }: Membership): Promise<void> {
  await inPlainTransaction(pool, async (transaction) => {
    const [grant] = await transaction.rows<{ statement: string }>(
      "select format('grant %I to %I', $1::text, $2::text) as statement",
      [group, login],
    );
    if (grant) await transaction.rows(grant.statement);
  });
}
