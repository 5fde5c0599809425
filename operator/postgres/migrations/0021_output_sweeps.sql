-- Why: of what an attempt has put in its place in object storage, what its books list stays, and nothing else. The rest may be taken away
-- only after its end is written: a leader that was deposed in between would take what its successor has published. So whoever writes the end
-- leaves a note of it, and a chore sweeps by the notes.

create table genop.output_sweeps (
  attempt_id uuid primary key references genop.attempts (id),
  begun_at   timestamptz not null default clock_timestamp(),
  due_at     timestamptz not null
);
create index output_sweeps_due on genop.output_sweeps (due_at, attempt_id);
grant select, update, delete on genop.output_sweeps to genop_app;

-- Once as soon as may be, and once when an hour has passed: what a deposed leader had under way may still arrive. A success has seldom
-- anything to be swept, and only has the second.
create function genop.begin_output_sweep() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  over jsonb := to_jsonb(new);
begin
  insert into genop.output_sweeps (attempt_id, due_at)
  values ((over->>tg_argv[0])::uuid,
          case when over->>'reason' = 'Succeeded' then clock_timestamp() + interval '1 hour' else clock_timestamp() end);
  return null;
end
$$;
revoke execute on function genop.begin_output_sweep() from public;

-- An attempt has outputs from the moment in which its job was done, and a job that turned up late from when it was found.
create trigger attempts_outputs after update on genop.attempts for each row
  when (old.state = 'ready' and new.state = 'ended') execute function genop.begin_output_sweep('id');
create trigger late_searches_outputs after update on genop.late_searches for each row
  when (old.state = 'found' and new.state = 'over') execute function genop.begin_output_sweep('attempt_id');
