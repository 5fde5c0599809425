-- Why: what was settled can be given back, by a decision with an author. A refund is two new transactions: the tenant's credits, and the
-- platform's loss of what they had paid for. Nothing that was settled changes.

alter table genop.ledger_transactions drop constraint ledger_transactions_operation_check;
alter table genop.ledger_transactions add constraint ledger_transactions_operation_check
  check (operation in ('grant', 'hold', 'resolve', 'usage', 'late', 'refund', 'write-off'));

create table genop.refunds (
  -- The CreditGrant's.
  uid                      text primary key,
  namespace                text not null,
  attempt_id               uuid not null references genop.hold_resolutions (attempt_id),
  amount                   bigint not null check (amount > 0),
  reason                   text not null,
  decided_by               text not null,
  transaction_id           bigint not null references genop.ledger_transactions (id),
  write_off_transaction_id bigint not null references genop.ledger_transactions (id),
  refunded_at              timestamptz not null default clock_timestamp()
);
create index refunds_attempt on genop.refunds (attempt_id);

-- All refunds of an attempt together are at most what it settled. The lock is of the attempt's row, so that no two look at the same rest.
create function genop.check_refund() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  settled bigint;
begin
  perform from genop.attempts where id = new.attempt_id and namespace = new.namespace for update;
  if not found then
    raise exception 'cannot refund an attempt of another namespace' using errcode = 'GN007', table = 'refunds';
  end if;
  select resolution.settled into settled from genop.hold_resolutions resolution where attempt_id = new.attempt_id;
  if new.amount > settled - (select coalesce(sum(amount), 0) from genop.refunds where attempt_id = new.attempt_id) then
    raise exception 'cannot refund more than was settled' using errcode = 'GN007', table = 'refunds';
  end if;
  return new;
end
$$;
create trigger refunds_bounded before insert on genop.refunds for each row execute function genop.check_refund();
revoke execute on function genop.check_refund() from public;
alter table genop.refunds enable always trigger refunds_bounded;
create trigger immutable before update or delete on genop.refunds for each row execute function genop.refuse_change();
create trigger immutable_whole before truncate on genop.refunds for each statement execute function genop.refuse_change();
alter table genop.refunds enable always trigger immutable;
alter table genop.refunds enable always trigger immutable_whole;
grant select, insert on genop.refunds to genop_app;

-- What was given back says so in the books, to the last unit, and is never more than was settled.
create view genop.report_refund_mismatch as
  select refund.uid, refund.attempt_id, refund.amount, coalesce(posted.amount, 0) as posted
    from genop.refunds refund
    left join (select entry.transaction_id, sum(entry.amount) as amount
                 from genop.entries entry
                 join genop.accounts account on account.id = entry.account_id and account.kind in ('available', 'provider-cost')
                group by entry.transaction_id) posted
      on posted.transaction_id in (refund.transaction_id, refund.write_off_transaction_id)
   where refund.amount <> coalesce(posted.amount, 0)
  union all
  select null, refund.attempt_id, sum(refund.amount), resolution.settled
    from genop.refunds refund join genop.hold_resolutions resolution on resolution.attempt_id = refund.attempt_id
   group by refund.attempt_id, resolution.settled
  having sum(refund.amount) > resolution.settled;
grant select on genop.report_refund_mismatch to genop_app;
