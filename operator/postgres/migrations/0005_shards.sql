-- Why: several leaders, each of its own keys. A shard is what one term is about, and has a row: a term ends when its row's
-- number changes. All rows know how many shards there are, so that leaders who count differently never lead side by side.

alter table genop.leadership drop constraint leadership_pkey, drop column singleton;
alter table genop.leadership
  add column shard  integer not null default 0,
  add column shards integer not null default 1,
  add constraint leadership_pkey primary key (shard),
  add constraint leadership_shards check (shards between 1 and 64 and shard between 0 and 63);
grant insert on genop.leadership to genop_app;
grant update (shards) on genop.leadership to genop_app;

-- A term is begun alone, or all of them together when their number changes. A version that knows of one row only would end
-- the terms of all with each of its own.
create function genop.check_terms() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (select count(*) from before join after using (shard) where before.shards = after.shards) > 1 then
    raise exception 'cannot begin the terms of several shards at once' using errcode = 'GN003', table = 'leadership';
  end if;
  return null;
end
$$;
create trigger leadership_alone after update on genop.leadership
  referencing old table as before new table as after for each statement execute function genop.check_terms();
revoke execute on function genop.check_terms() from public;
