// What triggers must stop: the statement, and the SQLSTATE that says so.
import { WITHOUT_HOLD, json, statementOf } from "./guards.ts";

export interface Stop {
  /** The trigger that must stop it: `table.trigger`. */
  readonly trigger: string;
  readonly sqlState: string;
  readonly statements: string;
}

const header = `
insert into genop.ledger_transactions (namespace, operation, business_id, inputs, fingerprint, entry_count, epoch)
values ('', 'grant', 'stopped', '{}', '', 2, 0)`;
const later = `
insert into genop.entries (transaction_id, account_id, asset, amount)
select (select min(id) from genop.ledger_transactions), id, 'credit', case kind when 'loss' then -5 else 5 end
  from genop.accounts where kind in ('loss', 'provider-cost')`;
const gap = statementOf({ table: "ledger_blocks", changes: json("'number', 50, 'hash', repeat('a', 64)") });

const held = `
set local session_replication_role = replica; ${WITHOUT_HOLD}; set local session_replication_role = origin;
insert into genop.holds select (jsonb_populate_record(one, '{"attempt_id": "00000000-0000-4000-8000-000000000000"}')).*
  from genop.holds one limit 1`;
const released = `
insert into genop.hold_resolutions (attempt_id, held, settled, released, excess, transaction_id)
select attempt_id, amount, 0, amount, 0, transaction_id from genop.holds
 where attempt_id not in (select attempt_id from genop.hold_resolutions) limit 1`;

/** What triggers must stop, `asReplica` even while ordinary ones sleep. */
export const STOPS: readonly (Stop & { readonly asReplica: boolean })[] = [
  {
    trigger: "attempts.attempts_begin",
    sqlState: "GN002",
    asReplica: false,
    statements: statementOf({
      table: "attempts",
      where: "state = 'sent'",
      changes: json(`'id', gen_random_uuid(), 'task_key', (select min(key) from genop.tasks), 'number', 70`),
    }),
  },
  {
    trigger: "attempts.attempts_step",
    sqlState: "GN002",
    asReplica: false,
    statements: "update genop.attempts set polls = polls where state = 'ended'",
  },
  {
    trigger: "tasks.tasks_step",
    sqlState: "GN002",
    asReplica: false,
    statements: "update genop.tasks set registered_at = now() - interval '1 day'",
  },
  {
    trigger: "usage_lines.usage_lines_step",
    sqlState: "GN002",
    asReplica: false,
    statements: `${statementOf({ table: "usage_lines", changes: json("'part', 9, 'judged_at', now(), 'verdict', 'matched', 'booked', 1, 'difference', 0") })};
                 update genop.usage_lines set part = part where part = 9`,
  },
  {
    trigger: "late_searches.late_searches_step",
    sqlState: "GN002",
    asReplica: false,
    statements: "update genop.late_searches set begun_at = now()",
  },
  {
    trigger: "late_searches.late_searches_job_free",
    sqlState: "23505",
    asReplica: false,
    statements: `update genop.late_searches set state = 'found', found_at = now(), found_by = 'list',
                 job_id = (select min(job_id) from genop.attempts) where state = 'searching'`,
  },
  {
    trigger: "attempts.attempts_job_free",
    sqlState: "23505",
    asReplica: false,
    statements: `update genop.attempts set state = 'accepted', accepted_at = now(), next_poll_at = now(),
                 job_id = (select job_id from genop.late_searches where state = 'found') where state = 'sent'`,
  },
  {
    trigger: "leadership.leadership_grows",
    sqlState: "GN003",
    asReplica: false,
    statements: "update genop.leadership set epoch = epoch",
  },
  {
    trigger: "leadership.leadership_alone",
    sqlState: "GN003",
    asReplica: false,
    statements: `${statementOf({ table: "leadership", changes: json("'shard', 1, 'epoch', 900") })};
                 update genop.leadership set epoch = epoch + 1000`,
  },
  {
    trigger: "entries.entries_post",
    sqlState: "GN004",
    asReplica: false,
    statements: statementOf({ table: "entries", where: "account_version is null", changes: json("'account_id', 999") }),
  },
  {
    trigger: "holds.holds_count",
    sqlState: "22003",
    asReplica: false,
    statements: `update genop.spending set spent = 9223372036854775807; ${held}`,
  },
  {
    trigger: "hold_resolutions.hold_resolutions_count",
    sqlState: "23514",
    asReplica: false,
    statements: `update genop.spending set spent = 0; ${released}`,
  },
  ...[false, true].flatMap((asReplica) => [
    {
      trigger: "refunds.refunds_bounded",
      sqlState: "GN007",
      asReplica,
      statements: statementOf({ table: "refunds", changes: json("'uid', 'other', 'amount', 6") }),
    },
    {
      trigger: "ledger_transactions.transactions_balance",
      sqlState: "GN005",
      asReplica,
      statements: `${header}; set constraints all immediate`,
    },
    {
      trigger: "entries.entries_balance",
      sqlState: "GN005",
      asReplica,
      statements: `${later}; set constraints all immediate`,
    },
    { trigger: "ledger_blocks.blocks_follow", sqlState: "GN006", asReplica, statements: gap },
  ]),
];
