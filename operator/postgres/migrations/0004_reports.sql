-- Why: what must never be, as queries that anybody can run. Each view is empty while the books are right; a row is an incident.

create view genop.report_unbalanced_transactions as
  select header.id as transaction_id, header.namespace, header.operation, header.business_id
    from genop.ledger_transactions header
    left join (select transaction_id, sum(entries) as entries, bool_or(total <> 0) as is_off
                 from (select transaction_id, asset, count(*) as entries, sum(amount) as total
                         from genop.entries group by transaction_id, asset) per_asset
                group by transaction_id) posted on posted.transaction_id = header.id
   where header.entry_count is distinct from posted.entries or posted.is_off;

create view genop.report_balance_mismatch as
  select balance.account_id, balance.balance, coalesce(sum(entry.amount), 0) as entries
    from genop.balances balance left join genop.entries entry on entry.account_id = balance.account_id
   group by balance.account_id, balance.balance
  having balance.balance <> coalesce(sum(entry.amount), 0);

-- A missing number is a lost entry; a balance that does not follow from the one before is a forged one.
create view genop.report_version_gaps as
  select account_id, account_version, balance_after
    from (select entry.account_id, entry.account_version, entry.balance_after, entry.amount,
                 lag(entry.account_version, 1, 0::bigint) over line as version_before,
                 lag(entry.balance_after, 1, 0::bigint) over line as balance_before
            from genop.entries entry join genop.balances balance on balance.account_id = entry.account_id
          window line as (partition by entry.account_id order by entry.account_version)) steps
   where account_version is distinct from version_before + 1
      or balance_after is distinct from balance_before + amount
  union all
  select balance.account_id, balance.version, balance.balance
    from genop.balances balance
   where balance.version <> (select count(*) from genop.entries where account_id = balance.account_id);

create view genop.report_open_holds_of_ended_tasks as
  select hold.attempt_id, hold.namespace, hold.amount, task.key as task_key
    from genop.holds hold
    join genop.attempts attempt on attempt.id = hold.attempt_id
    join genop.tasks task on task.key = attempt.task_key
    left join genop.hold_resolutions resolution on resolution.attempt_id = hold.attempt_id
   where resolution.attempt_id is null and (task.ended_at is not null or attempt.state = 'ended');

-- No deadline of a task is longer than seven days: an older hold, unless a person is asked, is stuck.
create view genop.report_holds_past_age as
  select hold.attempt_id, hold.namespace, hold.amount, hold.placed_at
    from genop.holds hold
    join genop.attempts attempt on attempt.id = hold.attempt_id
    join genop.tasks task on task.key = attempt.task_key
    left join genop.hold_resolutions resolution on resolution.attempt_id = hold.attempt_id
   where resolution.attempt_id is null and task.parked_at is null and hold.placed_at < now() - interval '8 days';

create view genop.report_settled_without_attempt as
  select resolution.attempt_id, resolution.settled, resolution.excess
    from genop.hold_resolutions resolution
    left join genop.attempts attempt on attempt.id = resolution.attempt_id
   where (resolution.settled > 0 or resolution.excess > 0)
     and (attempt.sent_at is null or attempt.charge is distinct from resolution.settled + resolution.excess);

create view genop.report_charged_without_settlement as
  select attempt.id as attempt_id, attempt.charge
    from genop.attempts attempt
    left join genop.hold_resolutions resolution on resolution.attempt_id = attempt.id
   where attempt.state = 'ended' and (resolution.attempt_id is null or attempt.charge <> resolution.settled + resolution.excess);

create view genop.report_attempts_without_hold as
  select attempt.id as attempt_id, attempt.task_key
    from genop.attempts attempt left join genop.holds hold on hold.attempt_id = attempt.id
   where hold.attempt_id is null or hold.namespace <> attempt.namespace;

create view genop.report_reservation_mismatch as
  select attempt.task_key, sum(hold.amount) as reserved,
         coalesce(sum(resolution.settled), 0) as settled, coalesce(sum(resolution.released), 0) as released
    from genop.tasks task
    join genop.attempts attempt on attempt.task_key = task.key
    join genop.holds hold on hold.attempt_id = attempt.id
    left join genop.hold_resolutions resolution on resolution.attempt_id = attempt.id
   where task.ended_at is not null
   group by attempt.task_key
  having sum(hold.amount) <> coalesce(sum(resolution.settled), 0) + coalesce(sum(resolution.released), 0);

-- What a tenant's account says is held, against the holds that are open.
create view genop.report_held_mismatch as
  select account.namespace, balance.balance, coalesce(open.amount, 0) as open_holds
    from genop.accounts account
    join genop.balances balance on balance.account_id = account.id
    left join (select hold.namespace, sum(hold.amount) as amount
                 from genop.holds hold left join genop.hold_resolutions resolution on resolution.attempt_id = hold.attempt_id
                where resolution.attempt_id is null group by hold.namespace) open on open.namespace = account.namespace
   where account.kind = 'held' and balance.balance <> coalesce(open.amount, 0);

create view genop.report_negative_balances as
  select account_id, balance from genop.balances where balance < 0;

create view genop.report_two_live_attempts as
  select task_key, count(*) as live from genop.attempts where state <> 'ended' group by task_key having count(*) > 1;

create view genop.report_live_attempts_of_ended_tasks as
  select attempt.id as attempt_id, attempt.task_key, attempt.state
    from genop.attempts attempt join genop.tasks task on task.key = attempt.task_key
   where attempt.state <> 'ended' and task.ended_at is not null;

create view genop.report_submits_without_mark as
  select call.attempt_id, call.started_at
    from genop.calls call join genop.attempts attempt on attempt.id = call.attempt_id
   where attempt.sent_at is null;

do $$
declare
  report text;
begin
  for report in select viewname from pg_views where schemaname = 'genop' and viewname like 'report\_%' loop
    execute format('grant select on genop.%I to genop_app', report);
  end loop;
end
$$;
