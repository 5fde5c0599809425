-- Why: the provider's bill is the last witness. Each line of it is held against the attempts: what was billed otherwise than it was
-- booked, late, twice, or for nobody, becomes an entry of the platform's, never of a tenant's.

create table genop.usage_lines (
  provider       text not null,
  job_id         text not null,
  -- Of several lines for one job; 0 for the first.
  part           integer not null default 0 check (part >= 0),
  -- Our own id as the provider shows it, if it does.
  ref            text,
  amount         bigint not null check (amount >= 0),
  billed_at      timestamptz not null,
  imported_at    timestamptz not null default clock_timestamp(),
  judged_at      timestamptz,
  verdict        text,
  attempt_id     uuid references genop.attempts (id),
  -- What was booked for it before, and what this line added to what the provider is owed.
  booked         bigint,
  difference     bigint,
  transaction_id bigint references genop.ledger_transactions (id),
  primary key (provider, job_id, part),
  constraint usage_lines_judged check (
    num_nulls(judged_at, verdict, booked, difference) in (0, 4)
    and (verdict is null or verdict in ('matched', 'price', 'late', 'duplicate', 'stranger'))
    and (transaction_id is null) = (coalesce(difference, 0) = 0))
);
create index usage_lines_open on genop.usage_lines (imported_at) where judged_at is null;
create index usage_lines_attempt on genop.usage_lines (attempt_id);
grant select, insert on genop.usage_lines to genop_app;
grant update (judged_at, verdict, attempt_id, booked, difference, transaction_id) on genop.usage_lines to genop_app;

create function genop.check_usage_step() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if old.judged_at is not null then
    raise exception 'cannot change a line of usage that was judged' using errcode = 'GN002', table = 'usage_lines';
  end if;
  return new;
end
$$;
create trigger usage_lines_step before update on genop.usage_lines for each row execute function genop.check_usage_step();

alter table genop.ledger_transactions drop constraint ledger_transactions_operation_check;
alter table genop.ledger_transactions
  add constraint ledger_transactions_operation_check check (operation in ('grant', 'hold', 'resolve', 'usage'));

-- What people look at; rows in it are findings, not faults of the books.
create view genop.usage_findings as
  select provider, verdict, count(*) as lines, sum(amount) as billed, sum(difference) as difference,
         min(billed_at) as first_billed_at, max(billed_at) as last_billed_at
    from genop.usage_lines where verdict <> 'matched' group by provider, verdict;

-- Jobs that we were told cost something, in a time that the bill covers, and that are not on it.
create view genop.usage_unbilled as
  select attempt.provider, attempt.job_id, attempt.id as attempt_id, attempt.charge, attempt.ended_at
    from genop.attempts attempt
    join (select provider, max(billed_at) as through, min(billed_at) as since from genop.usage_lines group by provider) bill
      on bill.provider = attempt.provider
   where attempt.state = 'ended' and attempt.charge > 0 and attempt.job_id is not null
     and attempt.accepted_at >= bill.since and attempt.ended_at < bill.through - interval '1 day'
     and not exists (select from genop.usage_lines line
                      where line.provider = attempt.provider and line.job_id = attempt.job_id);
grant select on genop.usage_findings, genop.usage_unbilled to genop_app;

-- A line that changed the books must say so in them, to the last unit.
create view genop.report_usage_mismatch as
  select line.provider, line.job_id, line.part, line.difference, coalesce(posted.amount, 0) as posted
    from genop.usage_lines line
    left join (select entry.transaction_id, sum(entry.amount) as amount
                 from genop.entries entry
                 join genop.accounts account on account.id = entry.account_id and account.kind = 'provider-payable'
                group by entry.transaction_id) posted on posted.transaction_id = line.transaction_id
   where line.judged_at is not null and line.difference <> coalesce(posted.amount, 0);
grant select on genop.report_usage_mismatch to genop_app;
