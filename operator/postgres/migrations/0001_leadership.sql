-- Why: who may write. One database belongs to one installation, and one term of leadership at a time may write to it.
-- The role genop_app is what the operator's login role must be a member of: it owns nothing, so it can't drop what guards
-- the ledger, and it gets only the rights that are granted to it table by table.

do $$
begin
  if not exists (select from pg_roles where rolname = 'genop_app') then
    create role genop_app nologin;
  end if;
exception
  when duplicate_object or unique_violation then null; -- roles belong to the server: another database's migration was faster
end
$$;

grant usage on schema genop to genop_app;
grant select on genop.migrations to genop_app;

create table genop.installation (
  singleton    boolean primary key default true check (singleton),
  -- The UID of the namespace kube-system: the nearest thing to a name that a cluster has.
  cluster_uid text not null,
  claimed_at  timestamptz not null default clock_timestamp(),
  adopted_from text
);
grant select, insert, update on genop.installation to genop_app;

create table genop.leadership (
  singleton boolean primary key default true check (singleton),
  epoch  bigint not null check (epoch >= 0),
  holder text not null,
  since  timestamptz not null default clock_timestamp()
);
insert into genop.leadership (epoch, holder) values (0, 'nobody');
grant select on genop.leadership to genop_app;
grant update (epoch, holder, since) on genop.leadership to genop_app;

-- Terms only grow, whatever statement somebody types at night.
create function genop.check_epoch() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if new.epoch <= old.epoch then
    raise exception 'cannot change the term of leadership: it only grows' using errcode = 'GN003', table = 'leadership';
  end if;
  return new;
end
$$;
create trigger leadership_grows before update on genop.leadership for each row execute function genop.check_epoch();
