// For each guard of the schema, what breaks it and nothing else: a copy of a good row with a few columns changed.

export interface Breach {
  readonly table: string;
  /** Which row is copied; any when absent. */
  readonly where?: string;
  /** A JSON object in SQL; `one` is the row. */
  readonly changes?: string;
  /** Statements before it, in the same transaction. */
  readonly before?: string;
}

const intended = { table: "attempts", where: "state = 'intended'" };
const sent = { table: "attempts", where: "state = 'sent'" };
const ended = { table: "attempts", where: "state = 'ended'" };
const resolution = { table: "hold_resolutions" };
const tenantEntry = { table: "entries", where: "account_version is not null" };
const platformEntry = { table: "entries", where: "account_version is null" };
const open = { table: "tasks", where: "ended_at is null" };
const searching = { table: "late_searches", where: "state = 'searching'" };
const foundLate = { table: "late_searches", where: "state = 'found'" };
const block = { table: "ledger_blocks", before: "alter table genop.ledger_blocks disable trigger blocks_follow" };
const other = "'id', gen_random_uuid()";
/** A JSON object of these names and values. */
export const json = (pairs: string): string => `jsonb_build_object(${pairs})`;

/** Uniqueness and checks, tried with every other trigger and key asleep. */
export const OWN: Readonly<Record<string, Breach>> = {
  accounts_name: { table: "accounts", where: "namespace is null", changes: json("'id', 999") },
  accounts_pkey: { table: "accounts", changes: json("'namespace', 'nobody', 'kind', 'held'") },
  accounts_kind: { table: "accounts", changes: json("'kind', 'other'") },
  assets_pkey: { table: "assets", changes: json("'position', 5") },
  assets_bytes_check: { table: "assets", changes: json("'bytes', -1") },
  assets_position_check: { table: "assets", changes: json("'position', -1") },
  assets_sha256_check: { table: "assets", changes: json("'sha256', 'other'") },
  attempts_pkey: { ...ended, changes: json("'number', 50, 'job_id', 'other', 'task_key', 'other'") },
  attempts_job: { ...ended, changes: json(`${other}, 'number', 50`) },
  attempts_number: { ...ended, changes: json(`${other}, 'job_id', 'other'`) },
  attempts_one_live: { ...intended, changes: json(`${other}, 'number', 50`) },
  attempts_accepted: { ...intended, changes: json("'job_id', 'other'") },
  attempts_blocked: { ...intended, changes: json("'blocked_by', 'provider'") },
  attempts_ended: { ...intended, changes: json("'charge', 0") },
  attempts_expired: { ...intended, changes: json("'expired_since', now()") },
  attempts_missing: { ...intended, changes: json("'missing_polls', 1") },
  attempts_number_check: { ...intended, changes: json("'number', 0") },
  attempts_polled: { ...intended, changes: json("'polls', 1") },
  attempts_ready: { ...intended, changes: json("'cost', 5") },
  attempts_reason: { ...ended, changes: json("'reason', 'NotCreated'") },
  attempts_sent: { ...intended, changes: json("'sent_at', now()") },
  attempts_state: { ...sent, changes: json("'state', 'other'") },
  attempts_taken: { ...intended, changes: json("'taken_at', now()") },
  attempts_unclear: { ...intended, changes: json("'looks', 1") },
  balances_pkey: { table: "balances" },
  balances_never_negative: { table: "balances", changes: json("'balance', -1") },
  calls_pkey: { table: "calls", changes: json("'operation', 'search'") },
  calls_one_submit: { table: "calls", where: "operation = 'submit'", changes: json("'id', 999") },
  calls_finished: { table: "calls", changes: json("'finished_at', null, 'outcome', 'other'") },
  calls_operation_check: { table: "calls", changes: json("'operation', 'other'") },
  claims_pkey: { table: "claims" },
  claims_looks_check: { table: "claims", changes: json("'looks', -1") },
  decisions_pkey: { table: "decisions" },
  decisions_attempt_check: { table: "decisions", changes: json("'id', 999, 'attempt', -1") },
  decisions_decision_check: { table: "decisions", changes: json("'id', 999, 'decision', 'other'") },
  decisions_job: { table: "decisions", changes: json("'id', 999, 'job_id', 'other'") },
  entries_pkey: { ...platformEntry },
  entries_version: { ...tenantEntry, changes: json("'transaction_id', 999") },
  entries_amount_check: { ...platformEntry, changes: json("'amount', 0") },
  entries_counted: { ...tenantEntry, changes: json("'account_version', null") },
  grants_pkey: { table: "grants" },
  grants_amount_check: { table: "grants", changes: json("'amount', 0") },
  hold_resolutions_pkey: resolution,
  hold_resolutions_excess: { ...resolution, changes: json("'excess', 5") },
  hold_resolutions_excess_check: { ...resolution, changes: json("'excess', -1, 'settled', one.held, 'released', 0") },
  hold_resolutions_posted: { ...resolution, changes: json("'transaction_id', null") },
  hold_resolutions_released_check: { ...resolution, changes: json("'released', -1, 'settled', one.held + 1") },
  hold_resolutions_settled_check: { ...resolution, changes: json("'settled', -1, 'released', one.held + 1") },
  hold_resolutions_whole: { ...resolution, changes: json("'settled', one.settled + 1") },
  holds_pkey: { table: "holds" },
  holds_amount_check: { table: "holds", changes: json("'amount', -1") },
  holds_posted: { table: "holds", changes: json("'transaction_id', null") },
  installation_pkey: { table: "installation" },
  installation_singleton_check: { table: "installation", changes: json("'singleton', false") },
  late_searches_pkey: { ...searching },
  late_searches_found: { ...searching, changes: json("'missing_answers', 1") },
  late_searches_job: { ...foundLate, changes: json("'attempt_id', gen_random_uuid()") },
  late_searches_looks_check: { ...searching, changes: json("'looks', -1") },
  late_searches_over: { ...searching, changes: json("'verdict', 'none'") },
  late_searches_state: { ...searching, changes: json("'state', 'other'") },
  leadership_pkey: { table: "leadership" },
  leadership_epoch_check: { table: "leadership", changes: json("'epoch', -1") },
  leadership_shards: { table: "leadership", changes: json("'shards', 0") },
  ledger_assets_pkey: { table: "ledger_assets" },
  ledger_blocks_pkey: { ...block, changes: json("'hash', repeat('a', 64)") },
  ledger_blocks_hash_key: { ...block, changes: json("'number', 50") },
  ledger_blocks_hash_check: { ...block, changes: json("'hash', 'other'") },
  ledger_blocks_number_check: { ...block, changes: json("'number', 0") },
  ledger_blocks_transaction_ids_check: { ...block, changes: json("'transaction_ids', jsonb_build_array()") },
  ledger_transactions_pkey: { table: "ledger_transactions", changes: json("'business_id', 'other'") },
  ledger_business_key: { table: "ledger_transactions", changes: json("'id', 999") },
  ledger_transactions_entry_count_check: { table: "ledger_transactions", changes: json("'entry_count', 1") },
  ledger_transactions_operation_check: { table: "ledger_transactions", changes: json("'operation', 'other'") },
  migrations_pkey: { table: "migrations" },
  output_sweeps_pkey: { table: "output_sweeps" },
  rates_pkey: { table: "rates" },
  refunds_pkey: { table: "refunds" },
  refunds_amount_check: { table: "refunds", changes: json("'uid', 'other', 'amount', 0") },
  spending_pkey: { table: "spending" },
  spending_never_negative: { table: "spending", changes: json("'spent', -1") },
  tasks_pkey: { table: "tasks" },
  tasks_ended: { ...open, changes: json("'ended_phase', 'Succeeded'") },
  tasks_key: { ...open, changes: json("'key', 'other/key'") },
  tasks_one_state: {
    ...open,
    changes: json(
      "'parked_at', now(), 'parked_reason', '', 'parked_message', '', 'waiting_reason', 'InsufficientCredits'",
    ),
  },
  tasks_parked: { ...open, changes: json("'parked_reason', 'other'") },
  tasks_waiting: { ...open, changes: json("'waiting_reason', 'other'") },
  usage_lines_pkey: { table: "usage_lines" },
  usage_lines_amount_check: { table: "usage_lines", changes: json("'amount', -1") },
  usage_lines_judged: { table: "usage_lines", changes: json("'verdict', 'late'") },
  usage_lines_part_check: { table: "usage_lines", changes: json("'part', -1") },
  usage_reads_pkey: { table: "usage_reads" },
  usage_reads_failed: { table: "usage_reads", changes: json("'provider', 'other', 'code', 'other'") },
  webhook_inbox_pkey: { table: "webhook_inbox", changes: json("'digest', 'other'") },
  webhook_inbox_once: { table: "webhook_inbox", changes: json("'id', 999") },
  webhook_inbox_body_check: { table: "webhook_inbox", changes: json("'body', '\\x' || repeat('00', 262145)") },
  webhook_inbox_read: { table: "webhook_inbox", changes: json("'verdict', 'other'") },
};

const strange = "'attempt_id', gen_random_uuid()";
/** An attempt that has ended, without a hold. */
export const WITHOUT_HOLD = `
insert into genop.attempts select (jsonb_populate_record(one, '{"id": "00000000-0000-4000-8000-000000000000", "number": 60, "job_id": "60"}')).*
  from genop.attempts one where state = 'ended' limit 1`;

/** References, tried as anybody would. */
export const REFERENCES: Readonly<Record<string, Breach>> = {
  accounts_asset_fkey: {
    table: "accounts",
    changes: json("'id', 999, 'namespace', 'n', 'kind', 'held', 'asset', 'other'"),
  },
  assets_attempt_id_fkey: { table: "assets", changes: json(strange) },
  attempts_task_key_fkey: { ...intended, changes: json(`${other}, 'task_key', 'other'`) },
  balances_account_id_fkey: { table: "balances", changes: json("'account_id', 999") },
  calls_attempt_id_fkey: { table: "calls", changes: json(`'id', 999, 'operation', 'search', ${strange}`) },
  claims_attempt_id_fkey: { table: "claims", changes: json(strange) },
  decisions_task_key_fkey: { table: "decisions", changes: json("'id', 999, 'task_key', 'other'") },
  entries_transaction_id_fkey: { ...platformEntry, changes: json("'transaction_id', 999") },
  grants_transaction_id_fkey: { table: "grants", changes: json("'uid', 'other', 'transaction_id', 999") },
  hold_resolutions_hold: { ...resolution, changes: json(strange) },
  hold_resolutions_transaction_id_fkey: {
    ...resolution,
    changes: json("'attempt_id', (select id from genop.attempts where state = 'intended'), 'transaction_id', 999"),
  },
  holds_attempt_id_fkey: { table: "holds", changes: json(strange) },
  holds_transaction_id_fkey: {
    table: "holds",
    before: `set local session_replication_role = replica; ${WITHOUT_HOLD}; set local session_replication_role = origin`,
    changes: json("'attempt_id', '00000000-0000-4000-8000-000000000000', 'transaction_id', 999"),
  },
  late_searches_attempt_id_fkey: { ...searching, changes: json(strange) },
  late_searches_transaction_id_fkey: {
    ...foundLate,
    before: `delete from genop.late_searches where state = 'searching'`,
    changes: json(
      `'attempt_id', (select id from genop.attempts where state = 'intended'), 'job_id', 'fresh', 'state', 'over', 'next_at', null,
       'over_at', now(), 'verdict', 'lost', 'charge', 1, 'transaction_id', 999`,
    ),
  },
  output_sweeps_attempt_id_fkey: { table: "output_sweeps", changes: json(strange) },
  refunds_attempt_id_fkey: {
    table: "refunds",
    before: "alter table genop.refunds disable trigger refunds_bounded",
    changes: json(`'uid', 'other', ${strange}`),
  },
  refunds_transaction_id_fkey: {
    table: "refunds",
    changes: json("'uid', 'other', 'amount', 1, 'transaction_id', 999"),
  },
  refunds_write_off_transaction_id_fkey: {
    table: "refunds",
    changes: json("'uid', 'other', 'amount', 1, 'write_off_transaction_id', 999"),
  },
  usage_lines_attempt_id_fkey: { table: "usage_lines", changes: json(`'part', 9, ${strange}`) },
  usage_lines_transaction_id_fkey: {
    table: "usage_lines",
    changes: json(
      "'part', 9, 'judged_at', now(), 'verdict', 'late', 'booked', 0, 'difference', 1, 'transaction_id', 999",
    ),
  },
  webhook_inbox_attempt_id_fkey: { table: "webhook_inbox", changes: json(`'id', 999, ${strange}`) },
};

/** Implied by another guard, which would be met first: told here so that nothing is forgotten by mistake. */
export const IMPLIED: readonly string[] = [
  "holds_amount", // the key of holds; it is there for hold_resolutions_hold to refer to, and goes with that
];

/** The statement that must be refused. */
export function statementOf({ changes = "'{}'::jsonb", table, where = "true" }: Breach): string {
  return `insert into genop.${table} overriding system value
    select (jsonb_populate_record(one, ${changes})).* from genop.${table} one where ${where} limit 1`;
}
