// Before anything is written: is this the database of this installation, and would it keep what is written?
import type { Pool } from "pg";
import { PostgresFault } from "./faults.ts";
import { checkSchema, readMigrations } from "./migrate.ts";
import { inPlainTransaction } from "./transaction.ts";
import type { Transaction } from "./transaction.ts";

export interface Claim {
  /** The UID of the namespace kube-system. */
  readonly clusterUid: string;
  /** Takes the database over from this other installation, which must never write to it again. */
  readonly adoptFrom?: string | undefined;
}

/**
 * Throws unless the operator may write here: the schema fits, the role can't bypass the ledger's guards, a commit is durable,
 * and the database belongs to this installation. A database that belongs to none is claimed.
 */
export async function checkDatabase(pool: Pool, claim: Claim, signal?: AbortSignal): Promise<void> {
  await checkSchema(pool, await readMigrations(), signal);
  const check = async (transaction: Transaction): Promise<void> => {
    await checkSafety(transaction);
    await claimInstallation(transaction, claim);
  };
  await inPlainTransaction(pool, check, signal);
}

interface Safety {
  readonly read_only: boolean;
  readonly commit_waits: boolean;
  readonly superuser: boolean;
  readonly owner: boolean;
  readonly may_rewrite: boolean;
}

async function checkSafety(transaction: Transaction): Promise<void> {
  const [found] = await transaction.rows<Safety>(`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only,
           current_setting('synchronous_commit') <> 'off' as commit_waits,
           (select rolsuper from pg_roles where rolname = current_user) as superuser,
           (select pg_has_role(current_user, relowner, 'member') from pg_class where oid = 'genop.entries'::regclass) as owner,
           has_table_privilege('genop.entries', 'update, delete, truncate') as may_rewrite`);
  const about = found && dangerOf(found);
  if (about !== undefined) throw new PostgresFault("UNSAFE_DATABASE", { about });
}

function dangerOf(found: Safety): string | undefined {
  if (found.read_only) return "it is read-only: connect to the primary";
  if (!found.commit_waits) return "synchronous_commit is off: a crash would lose commits";
  if (found.superuser) return "the role is a superuser: use a login role that is a member of genop_app";
  if (found.owner) return "the role owns the ledger: use a login role that is a member of genop_app";
  if (found.may_rewrite) return "the role may change ledger entries: revoke that from it";
  return undefined;
}

async function claimInstallation(transaction: Transaction, { adoptFrom, clusterUid }: Claim): Promise<void> {
  await transaction.rows("insert into genop.installation (cluster_uid) values ($1) on conflict do nothing", [
    clusterUid,
  ]);
  const [owner] = await transaction.rows<{ cluster_uid: string }>(
    "select cluster_uid from genop.installation for update",
  );
  if (owner?.cluster_uid === clusterUid) return;
  if (adoptFrom === undefined || owner?.cluster_uid !== adoptFrom) throw new PostgresFault("OTHER_INSTALLATION");
  await transaction.rows(
    "update genop.installation set cluster_uid = $1, adopted_from = cluster_uid, claimed_at = clock_timestamp()",
    [clusterUid],
  );
}
