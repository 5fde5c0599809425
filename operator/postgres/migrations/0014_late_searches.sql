-- Why: an attempt may end while nobody knows whether the provider has a job of it: given up by a policy or a person, or believed absent because
-- it was not found. The search goes on here, ever more slowly and for a time, so that a job that turns up is booked, and never ignored. What
-- ended stays as it ended: the attempt, its task, and the tenant's money.

create table genop.late_searches (
  attempt_id      uuid primary key references genop.attempts (id),
  provider        text not null,
  state           text not null default 'searching',
  begun_at        timestamptz not null default clock_timestamp(),
  -- Visits in this state, answered or not.
  looks           integer not null default 0 check (looks >= 0),
  next_at         timestamptz,
  job_id          text,
  found_at        timestamptz,
  found_by        text,
  cancel_asked_at timestamptz,
  -- Answers "no such job" in a row, of a job that was found.
  missing_answers integer not null default 0,
  over_at         timestamptz,
  verdict         text,
  -- What was booked for the job here; 0 where a bill had it before.
  charge          bigint,
  transaction_id  bigint references genop.ledger_transactions (id),
  constraint late_searches_state check (state in ('searching', 'found', 'over')),
  constraint late_searches_found check (
    num_nulls(job_id, found_at, found_by) in (0, 3)
    and (found_by is null or found_by in ('look-up', 'list', 'webhook'))
    and case state when 'searching' then job_id is null when 'found' then job_id is not null else true end
    and missing_answers >= 0
    and (job_id is not null or (cancel_asked_at is null and missing_answers = 0))),
  constraint late_searches_over check (
    case state
      when 'over' then num_nulls(over_at, verdict, charge) = 0 and next_at is null
      else num_nonnulls(over_at, verdict, charge) = 0 and next_at is not null
    end
    and (verdict is null or verdict in ('none', 'succeeded', 'failed', 'cancelled', 'lost', 'unended'))
    and (verdict is null or (verdict = 'none') = (job_id is null))
    and (charge is null or charge >= 0)
    and (transaction_id is not null) = (coalesce(charge, 0) > 0)
    and (job_id is not null or coalesce(charge, 0) = 0)),
  constraint late_searches_job unique (provider, job_id)
);
create index late_searches_due on genop.late_searches (next_at) where state <> 'over';
grant select, update on genop.late_searches to genop_app;

-- No attempt that ends like this is forgotten, whoever ends it: one that was sent, has no job, and was not refused by the answer to its own
-- submit. An answer comes before the deadline; an end after it, or after a look, was drawn from something else.
create function genop.begin_late_search() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  insert into genop.late_searches (attempt_id, provider, next_at)
  values (new.id, new.provider, clock_timestamp() + interval '1 minute');
  return null;
end
$$;
create trigger attempts_late after update on genop.attempts for each row
  when (old.state = 'sent' and new.state = 'ended' and new.job_id is null and new.reason <> 'Refused'
        and (new.reason <> 'NotCreated' or new.ambiguity_at is not null or new.looks > 0 or new.ended_at >= new.deadline))
  execute function genop.begin_late_search();

create function genop.check_late_search_step() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if old.state = 'over' then
    raise exception 'cannot change a late search that is over' using errcode = 'GN002', table = 'late_searches';
  end if;
  if (new.attempt_id, new.provider, new.begun_at) is distinct from (old.attempt_id, old.provider, old.begun_at)
     or (old.job_id is not null and new.job_id is distinct from old.job_id) or (old.state, new.state) = ('found', 'searching') then
    raise exception 'cannot change what a late search is' using errcode = 'GN002', table = 'late_searches';
  end if;
  return new;
end
$$;
create trigger late_searches_step before update on genop.late_searches for each row execute function genop.check_late_search_step();

-- A job stands for one attempt, live or late. The lock is of the job: who writes it down on either side, or books a bill's line for it, is
-- alone with it, and sees what the others before have committed.
create function genop.lock_job(provider text, job_id text) returns void language sql set search_path = pg_catalog, pg_temp as $$
  select pg_advisory_xact_lock(hashtextextended(provider || '/' || job_id, 1734700650))
$$;

create function genop.check_job_is_free() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform genop.lock_job(new.provider, new.job_id);
  if tg_table_name = 'attempts' and exists (
       select from genop.late_searches late where late.provider = new.provider and late.job_id = new.job_id) then
    raise exception 'cannot let a job stand for two attempts' using errcode = 'unique_violation', table = 'attempts', constraint = 'attempts_job';
  end if;
  if tg_table_name = 'late_searches' and exists (
       select from genop.attempts one where one.provider = new.provider and one.job_id = new.job_id) then
    raise exception 'cannot let a job stand for two attempts'
      using errcode = 'unique_violation', table = 'late_searches', constraint = 'late_searches_job';
  end if;
  return new;
end
$$;
create trigger attempts_job_free before update on genop.attempts for each row
  when (old.job_id is null and new.job_id is not null) execute function genop.check_job_is_free();
create trigger late_searches_job_free before update on genop.late_searches for each row
  when (old.job_id is null and new.job_id is not null) execute function genop.check_job_is_free();
revoke execute on function genop.begin_late_search(), genop.check_late_search_step(), genop.check_job_is_free(), genop.lock_job(text, text) from public;
grant execute on function genop.lock_job(text, text) to genop_app;

-- Attempts of before: those of the week that a late search lasts.
insert into genop.late_searches (attempt_id, provider, begun_at, next_at)
select id, provider, ended_at, clock_timestamp() + interval '1 minute'
  from genop.attempts
 where state = 'ended' and sent_at is not null and job_id is null and reason <> 'Refused'
   and (reason <> 'NotCreated' or ambiguity_at is not null or looks > 0 or ended_at >= deadline)
   and ended_at > now() - interval '7 days';

alter table genop.ledger_transactions drop constraint ledger_transactions_operation_check;
alter table genop.ledger_transactions
  add constraint ledger_transactions_operation_check check (operation in ('grant', 'hold', 'resolve', 'usage', 'late'));

-- What people look at: the jobs that turned up late. Rows in it are findings, not faults of the books.
create view genop.late_findings as
  select attempt.namespace, attempt.task_key, attempt.number, late.attempt_id, attempt.reason, late.provider, late.job_id, late.found_by,
         late.found_at, late.found_at - attempt.ended_at as after_its_end, late.state, late.verdict, late.charge, late.over_at
    from genop.late_searches late join genop.attempts attempt on attempt.id = late.attempt_id
   where late.job_id is not null;
grant select on genop.late_findings to genop_app;

-- What a late job cost is in the books once: here, or by the bill, or here and corrected by the bill to its last unit.
create view genop.report_late_mismatch as
  select late.attempt_id, late.provider, late.job_id, late.charge, coalesce(posted.amount, 0) as posted, bill.amount as billed
    from genop.late_searches late
    left join (select entry.transaction_id, sum(entry.amount) as amount
                 from genop.entries entry
                 join genop.accounts account on account.id = entry.account_id and account.kind = 'provider-payable'
                group by entry.transaction_id) posted on posted.transaction_id = late.transaction_id
    left join (select provider, job_id, sum(amount) as amount, sum(difference) as difference
                 from genop.usage_lines where judged_at is not null group by provider, job_id) bill
      on bill.provider = late.provider and bill.job_id = late.job_id
   where late.state = 'over' and late.job_id is not null
     and (late.charge <> coalesce(posted.amount, 0) or late.charge + bill.difference <> bill.amount)
  union all
  select late.attempt_id, late.provider, late.job_id, late.charge, null, null
    from genop.late_searches late join genop.attempts one on one.provider = late.provider and one.job_id = late.job_id;
grant select on genop.report_late_mismatch to genop_app;
