-- Why: triggers and rights stop everybody but a superuser. A superuser's change must at least be seen: blocks of ledger transactions,
-- each sealed by a hash over its content and the block before. They are built after the fact: a chain in the posting
-- transaction would make all tenants wait for each other.
-- The role genop_reader is for those who check the books: it may read everything and write nothing.

do $$
begin
  if not exists (select from pg_roles where rolname = 'genop_reader') then
    create role genop_reader nologin;
  end if;
exception
  when duplicate_object or unique_violation then null; -- roles belong to the server: another database's migration was faster
end
$$;

create table genop.ledger_blocks (
  number          bigint primary key check (number >= 1),
  previous_hash   text not null,
  -- SHA-256, computed outside of the database, so that no function in it needs to be believed.
  hash            text not null unique check (hash ~ '^[0-9a-f]{64}$'),
  -- What it seals. Numbers are given out before the commit: a block may hold one that is smaller than those of the block before.
  transaction_ids bigint[] not null check (cardinality(transaction_ids) >= 1),
  -- The greatest number in this block and all before it.
  sealed_through  bigint not null,
  epoch           bigint not null,
  built_at        timestamptz not null default clock_timestamp()
);

create function genop.check_block() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  head genop.ledger_blocks;
begin
  select * into head from genop.ledger_blocks order by number desc limit 1;
  if new.number <> coalesce(head.number, 0) + 1
     or new.previous_hash <> coalesce(head.hash, repeat('0', 64))
     or new.sealed_through < coalesce(head.sealed_through, 0)
     or new.sealed_through < any (new.transaction_ids) then
    raise exception 'cannot seal a block that does not follow from the last one' using errcode = 'GN006', table = 'ledger_blocks';
  end if;
  return new;
end
$$;
create trigger blocks_follow before insert on genop.ledger_blocks for each row execute function genop.check_block();
create trigger immutable before update or delete on genop.ledger_blocks for each row execute function genop.refuse_change();
create trigger immutable_whole before truncate on genop.ledger_blocks for each statement execute function genop.refuse_change();
alter table genop.ledger_blocks enable always trigger blocks_follow;
alter table genop.ledger_blocks enable always trigger immutable;
alter table genop.ledger_blocks enable always trigger immutable_whole;
grant select, insert on genop.ledger_blocks to genop_app;

-- A transaction ends within minutes, and the next round seals it: what is older was forgotten, or slipped in behind.
create view genop.report_unsealed_transactions as
  select header.id as transaction_id, header.posted_at
    from genop.ledger_transactions header
    left join (select unnest(transaction_ids) as id from genop.ledger_blocks) sealed on sealed.id = header.id
   where sealed.id is null and header.posted_at < now() - interval '1 hour';
grant select on genop.report_unsealed_transactions to genop_app;

revoke execute on function genop.check_block() from public;
grant usage on schema genop to genop_reader;
grant select on all tables in schema genop to genop_reader;
alter default privileges in schema genop grant select on tables to genop_reader;
