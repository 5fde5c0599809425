// The cases of the guards as data, and how one is tried: for the test of the guards, and for the mutants of the schema.
import type { ClientBase } from "pg";
import { sealLedger } from "../../../operator/postgres/seal.ts";
import { micro } from "../../../operator/task/credits.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, openDesk } from "./desk.ts";
import { OWN, REFERENCES, statementOf } from "./guards.ts";
import { STOPS } from "./stops.ts";

export interface Refusal {
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
}

export interface Case {
  readonly name: string;
  readonly statements: readonly string[];
  /** Undefined: it must be accepted. */
  readonly expected: Partial<Refusal> | undefined;
}

const AS_REPLICA = "set local session_replication_role = replica";

/** Tables whose rows are facts, with a column each. */
export const FACTS: Readonly<Record<string, string>> = {
  accounts: "id",
  decisions: "id",
  entries: "transaction_id",
  grants: "uid",
  hold_resolutions: "attempt_id",
  holds: "attempt_id",
  ledger_assets: "code",
  ledger_blocks: "number",
  ledger_transactions: "id",
  refunds: "uid",
};

const changesOfFacts = Object.entries(FACTS).flatMap(([table, column]) =>
  ["", AS_REPLICA].flatMap((mode) =>
    [
      `update genop.${table} set ${column} = default`,
      `delete from genop.${table}`,
      `truncate genop.${table} cascade`,
    ].map((statement): Case => ({
      name: `${statement}${mode === "" ? "" : " (as a replica)"}`,
      statements: [mode, statement],
      expected: { code: "GN001", table },
    })),
  ),
);

/** What triggers must make: statements that divide by nothing where it is not there. */
export const MADE: Readonly<Record<string, string>> = {
  "accounts.accounts_open": `insert into genop.accounts (namespace, kind) values ('opened', 'held');
    select 1 / count(*) from genop.balances join genop.accounts on id = account_id where namespace = 'opened'`,
  "attempts.attempts_late": `update genop.attempts set state = 'ended', ended_at = now(), reason = 'WrittenOff', charge = 0 where state = 'sent';
    select 1 / count(*) from genop.late_searches late join genop.attempts attempt on attempt.id = late.attempt_id
      where attempt.reason = 'WrittenOff' and attempt.ended_at = now()`,
  "attempts.attempts_outputs": `update genop.attempts set state = 'ended', ended_at = now(), reason = 'OutputsUnusable', charge = 0 where state = 'ready';
    select 1 / count(*) from genop.output_sweeps sweep join genop.attempts attempt on attempt.id = sweep.attempt_id
      where attempt.reason = 'OutputsUnusable' and attempt.ended_at = now()`,
  "late_searches.late_searches_outputs": `update genop.late_searches
      set state = 'over', next_at = null, over_at = now(), verdict = 'lost', charge = 0 where state = 'found';
    select 1 / count(*) from genop.output_sweeps sweep join genop.late_searches late using (attempt_id) where late.over_at = now()`,
};

export const CASES: readonly Case[] = [
  ...Object.entries(OWN).map(([constraint, breach]) => ({
    name: constraint,
    statements: [breach.before ?? "", AS_REPLICA, statementOf(breach)],
    expected: { constraint },
  })),
  ...Object.entries(REFERENCES).map(([constraint, breach]) => ({
    name: constraint,
    statements: [breach.before ?? "", statementOf(breach)],
    expected: { constraint },
  })),
  ...STOPS.map(({ asReplica, sqlState, statements, trigger }) => ({
    name: `${trigger}${asReplica ? " (as a replica)" : ""}`,
    statements: [asReplica ? AS_REPLICA : "", statements],
    expected: { code: sqlState },
  })),
  ...Object.entries(MADE).map(([name, statements]) => ({ name, statements: [statements], expected: undefined })),
  ...changesOfFacts,
];

const ONE_OF_EACH = `
insert into genop.installation (cluster_uid) values ('here');
insert into genop.assets (attempt_id, position, name, uri, media_type, bytes, sha256)
  select id, 0, 'one', '', '', 0, repeat('a', 64) from genop.attempts limit 1;
update genop.late_searches set state = 'found', job_id = 'late', found_at = now(), found_by = 'list'
  where attempt_id = (select attempt_id from genop.late_searches limit 1);
insert into genop.claims (attempt_id, job_id) select id, 'one' from genop.attempts limit 1;
insert into genop.decisions (task_key, task_uid, attempt, decision, epoch) select key, uid, 1, 'WriteOff', 1 from genop.tasks limit 1;
insert into genop.refunds (uid, namespace, attempt_id, amount, reason, decided_by, transaction_id, write_off_transaction_id)
  select 'one', 'studio', attempt_id, 5, '', '', transaction_id, transaction_id from genop.hold_resolutions where settled = 10;
insert into genop.rates (provider) values ('acme');
insert into genop.usage_lines (provider, job_id, amount, billed_at) values ('acme', 'one', 1, now());
insert into genop.usage_reads (provider, through) values ('acme', now());
insert into genop.webhook_inbox (attempt_id, digest, headers, body) select id, 'one', '{}', '' from genop.attempts limit 1`;

/** A row in every table, for the cases to copy. */
export async function fillDatabase(database: TestDatabase): Promise<void> {
  const desk = await openDesk(database.pool());
  await desk.grant("studio", 10_000n);
  await desk.books.end(await desk.accepted(), { ...NOT_CREATED, reason: "JobFailed", charge: micro(10n) }, []);
  await desk.books.end(await desk.ready(), { ...NOT_CREATED, reason: "OutputsUnusable" }, []);
  await desk.ready();
  await desk.sent();
  await desk.books.end(await desk.sent(), { ...NOT_CREATED, reason: "WrittenOff" }, []);
  await desk.books.end(await desk.sent(), { ...NOT_CREATED, reason: "WrittenOff" }, []);
  await desk.begun();
  await sealLedger(desk.pool, () => desk.epoch, NEVER);
  await database.asSuperuser((client) => client.query(ONE_OF_EACH));
}

/** What is refused, inside an open transaction, which is as before afterwards; undefined when all is accepted. */
export async function refusalOf(client: ClientBase, { statements }: Case): Promise<Refusal | undefined> {
  await client.query("savepoint before");
  try {
    for (const statement of statements) await client.query(statement);
    return undefined;
  } catch (error) {
    const { code, constraint, table } = error as Partial<Refusal>;
    return { code, constraint, table };
  } finally {
    await client.query("rollback to savepoint before");
  }
}

/** Whether the case went as it must. */
export function isMet({ expected }: Case, found: Refusal | undefined): boolean {
  if (!expected || !found) return expected === found;
  const { code, constraint, table } = { ...found, ...expected };
  return found.code === code && found.constraint === constraint && found.table === table;
}
