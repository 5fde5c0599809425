-- Why: money. Double entry in integer micro-credits: amounts are signed (credit is positive) and every transaction sums to zero.
-- Rows here are facts: nobody updates, deletes or truncates them, whatever role or session setting they use.
-- Tenant balances are kept by a trigger that the application can't go around, and never go below zero; platform accounts have no
-- running balance, because one shared row that every settlement locks would halve the throughput.

create table genop.ledger_assets (
  code  text primary key,
  scale integer not null
);
insert into genop.ledger_assets values ('credit', 6);

create table genop.accounts (
  id        bigint generated always as identity primary key,
  -- The tenant; null for the platform's own.
  namespace text,
  kind      text not null,
  asset     text not null default 'credit' references genop.ledger_assets (code),
  opened_at timestamptz not null default clock_timestamp(),
  constraint accounts_kind check (
    case when namespace is null then kind in ('grants', 'revenue', 'provider-cost', 'provider-payable', 'loss')
         else kind in ('available', 'held') end),
  constraint accounts_name unique nulls not distinct (namespace, kind, asset)
);

create table genop.balances (
  account_id bigint primary key references genop.accounts (id),
  balance    bigint not null default 0,
  version    bigint not null default 0,
  constraint balances_never_negative check (balance >= 0)
);

create table genop.ledger_transactions (
  id          bigint generated always as identity primary key,
  namespace   text not null,
  operation   text not null check (operation in ('grant', 'hold', 'resolve')),
  -- Unique per tenant and operation: the grant's UID, or the attempt's id.
  business_id text not null,
  inputs      jsonb not null,
  -- SHA-256 of the inputs as they were written, so that a replay is compared with what was meant, not with how it is printed.
  fingerprint text not null,
  entry_count integer not null check (entry_count >= 2),
  epoch       bigint not null,
  posted_at   timestamptz not null default clock_timestamp(),
  constraint ledger_business_key unique (namespace, operation, business_id)
);

-- No foreign key to accounts: it would lock the platform's few rows in every transaction. The trigger below looks instead, and
-- accounts are never deleted.
create table genop.entries (
  transaction_id  bigint not null references genop.ledger_transactions (id),
  account_id      bigint not null,
  asset           text not null,
  amount          bigint not null check (amount <> 0),
  -- Tenant accounts only: the balance row as this entry left it.
  account_version bigint,
  balance_after   bigint,
  primary key (transaction_id, account_id),
  constraint entries_version unique (account_id, account_version),
  constraint entries_counted check ((account_version is null) = (balance_after is null))
);

create table genop.holds (
  attempt_id     uuid primary key references genop.attempts (id),
  namespace      text not null,
  amount         bigint not null check (amount >= 0),
  transaction_id bigint references genop.ledger_transactions (id),
  placed_at      timestamptz not null default clock_timestamp(),
  constraint holds_posted check ((amount = 0) = (transaction_id is null)),
  constraint holds_amount unique (attempt_id, amount)
);

-- A hold is resolved by a row of its own: the key makes it at most once, whatever the code believes.
create table genop.hold_resolutions (
  attempt_id     uuid primary key,
  held           bigint not null,
  settled        bigint not null check (settled >= 0),
  released       bigint not null check (released >= 0),
  -- What the provider billed beyond the hold: the platform's loss.
  excess         bigint not null check (excess >= 0),
  transaction_id bigint references genop.ledger_transactions (id),
  resolved_at    timestamptz not null default clock_timestamp(),
  constraint hold_resolutions_hold foreign key (attempt_id, held) references genop.holds (attempt_id, amount),
  constraint hold_resolutions_whole check (settled + released = held),
  constraint hold_resolutions_excess check (excess = 0 or released = 0),
  constraint hold_resolutions_posted check ((held = 0 and excess = 0) = (transaction_id is null))
);

create table genop.grants (
  uid            text primary key,
  namespace      text not null,
  amount         bigint not null check (amount > 0),
  reason         text not null,
  transaction_id bigint not null references genop.ledger_transactions (id),
  applied_at     timestamptz not null default clock_timestamp()
);

-- Posting: the balance moves with the entry, in the account's own row, and can't go below zero.
create function genop.post_entry() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  account genop.accounts;
begin
  select * into account from genop.accounts where id = new.account_id;
  if not found then
    raise exception 'cannot post to an account that does not exist' using errcode = 'GN004', table = 'entries';
  end if;
  new.asset := account.asset;
  new.account_version := null;
  new.balance_after := null;
  if account.namespace is not null then
    update genop.balances set balance = balance + new.amount, version = version + 1
     where account_id = account.id
    returning version, balance into strict new.account_version, new.balance_after;
  end if;
  return new;
end
$$;
create trigger entries_post before insert on genop.entries for each row execute function genop.post_entry();

create function genop.open_balance() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.namespace is not null then
    insert into genop.balances (account_id) values (new.id);
  end if;
  return null;
end
$$;
create trigger accounts_open after insert on genop.accounts for each row execute function genop.open_balance();

-- What a tenant may spend, locked until the transaction ends. The application has no right to lock or change the row itself.
create function genop.lock_available(tenant text) returns bigint language sql security definer
  set search_path = pg_catalog, pg_temp as $$
  select balance.balance from genop.accounts account join genop.balances balance on balance.account_id = account.id
   where account.namespace = tenant and account.kind = 'available' and account.asset = 'credit'
     for update of balance
$$;

-- At commit: as many entries as announced, summing to zero per asset. So nothing can be added to a transaction later either.
create function genop.check_transaction() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  checked bigint := (to_jsonb(new) ->> tg_argv[0])::bigint;
begin
  if (select count(*) from genop.entries where transaction_id = checked)
     <> (select entry_count from genop.ledger_transactions where id = checked) then
    raise exception 'cannot commit a ledger transaction with other entries than announced'
      using errcode = 'GN005', table = 'ledger_transactions';
  end if;
  if exists (select from genop.entries where transaction_id = checked group by asset having sum(amount) <> 0) then
    raise exception 'cannot commit a ledger transaction that does not sum to zero'
      using errcode = 'GN005', table = 'ledger_transactions';
  end if;
  return null;
end
$$;
create constraint trigger transactions_balance after insert on genop.ledger_transactions
  deferrable initially deferred for each row execute function genop.check_transaction('id');
create constraint trigger entries_balance after insert on genop.entries
  deferrable initially deferred for each row execute function genop.check_transaction('transaction_id');
alter table genop.ledger_transactions enable always trigger transactions_balance;
alter table genop.entries enable always trigger entries_balance;

create function genop.refuse_change() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'cannot change genop.%: its rows are facts; post a new transaction instead', tg_table_name
    using errcode = 'GN001', table = tg_table_name;
end
$$;

-- Row triggers do not see TRUNCATE, and ordinary triggers sleep while session_replication_role is replica: hence two, always enabled.
do $$
declare
  fact text;
begin
  foreach fact in array array['ledger_assets', 'accounts', 'ledger_transactions', 'entries', 'holds', 'hold_resolutions', 'grants'] loop
    execute format('create trigger immutable before update or delete on genop.%I for each row execute function genop.refuse_change()', fact);
    execute format('create trigger immutable_whole before truncate on genop.%I for each statement execute function genop.refuse_change()', fact);
    execute format('alter table genop.%I enable always trigger immutable', fact);
    execute format('alter table genop.%I enable always trigger immutable_whole', fact);
    execute format('grant select, insert on genop.%I to genop_app', fact);
  end loop;
end
$$;
revoke insert on genop.ledger_assets from genop_app;
grant select on genop.balances to genop_app;
revoke execute on all functions in schema genop from public;
grant execute on function genop.lock_available(text) to genop_app;

insert into genop.accounts (kind) values ('grants'), ('revenue'), ('provider-cost'), ('provider-payable'), ('loss');
