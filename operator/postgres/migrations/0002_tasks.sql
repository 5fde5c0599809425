-- Why: the facts about side effects. A task is a wish; an attempt is one try to have its job done; a state carries its columns.
-- What the operator must never do is refused here as well, so that no bug, second leader or hand-typed statement can do it.

create table genop.tasks (
  key              text primary key,
  uid              text not null,
  namespace        text not null,
  name             text not null,
  spec_hash        text not null,
  registered_at    timestamptz not null default clock_timestamp(),
  ended_at         timestamptz,
  ended_phase      text,
  ended_reason     text,
  ended_message    text,
  parked_at        timestamptz,
  parked_reason    text,
  parked_message   text,
  waiting_reason   text,
  waiting_position integer,
  constraint tasks_key check (starts_with(key, namespace || '/')),
  constraint tasks_ended check (
    num_nulls(ended_at, ended_phase, ended_reason, ended_message) in (0, 4)
    and (ended_phase is null or ended_phase in ('Succeeded', 'Failed', 'Cancelled', 'Rejected'))),
  constraint tasks_parked check (num_nulls(parked_at, parked_reason, parked_message) in (0, 3)),
  constraint tasks_waiting check (
    case waiting_reason
      when 'InsufficientCredits' then waiting_position is null
      when 'QuotaExhausted' then waiting_position >= 1
      else waiting_reason is null and waiting_position is null
    end),
  constraint tasks_one_state check (num_nonnulls(ended_at, parked_at, waiting_reason) <= 1)
);
create index tasks_namespace on genop.tasks (namespace, registered_at);
grant select, insert, update on genop.tasks to genop_app;

create table genop.attempts (
  -- Also the client request id that goes out with the call.
  id              uuid primary key,
  task_key        text not null references genop.tasks (key),
  number          integer not null check (number >= 1),
  namespace       text not null,
  provider        text not null,
  model           text not null,
  priority        integer not null,
  state           text not null default 'intended',
  begun_at        timestamptz not null default clock_timestamp(),
  -- When it last asked to be admitted, and which limit stood in its way: together, the provider's line.
  wanted_at       timestamptz,
  blocked_by      text,
  sent_at         timestamptz,
  deadline        timestamptz,
  ambiguity_code  text,
  ambiguity_at    timestamptz,
  misses          integer not null default 0,
  looks           integer not null default 0,
  search_next_at  timestamptz,
  job_id          text,
  accepted_at     timestamptz,
  polls           integer not null default 0,
  next_poll_at    timestamptz,
  progress        integer,
  empty_since     timestamptz,
  cancel_asked_at timestamptz,
  ready_at        timestamptz,
  cost            bigint,
  fetches         integer not null default 0,
  next_fetch_at   timestamptz,
  ended_at        timestamptz,
  reason          text,
  charge          bigint,
  retry_at        timestamptz,

  constraint attempts_state check (state in ('intended', 'sent', 'accepted', 'ready', 'ended')),
  constraint attempts_blocked check (
    blocked_by is null or (wanted_at is not null and blocked_by in ('provider', 'model', 'namespace', 'rate'))),
  constraint attempts_sent check (
    (sent_at is null) = (deadline is null)
    and case state when 'intended' then sent_at is null when 'ended' then true else sent_at is not null end),
  constraint attempts_unclear check (
    (ambiguity_code is null) = (ambiguity_at is null)
    and misses between 0 and looks
    and (sent_at is not null or (ambiguity_at is null and looks = 0 and search_next_at is null))),
  constraint attempts_accepted check (
    (job_id is null) = (accepted_at is null)
    and (job_id is null) = (next_poll_at is null)
    and (accepted_at is null or sent_at is not null)
    and case state when 'accepted' then job_id is not null when 'ready' then job_id is not null
                   when 'ended' then true else job_id is null end),
  constraint attempts_polled check (
    (progress is null or progress between 0 and 100)
    and polls >= 0
    and (accepted_at is not null
         or (polls = 0 and progress is null and empty_since is null and cancel_asked_at is null))),
  constraint attempts_ready check (
    (ready_at is null) = (next_fetch_at is null)
    and (ready_at is null or accepted_at is not null)
    and (ready_at is not null or (cost is null and fetches = 0))
    and (cost is null or cost >= 0)
    and fetches >= 0
    and case state when 'ready' then ready_at is not null when 'ended' then true else ready_at is null end),
  constraint attempts_ended check (
    case state
      when 'ended' then num_nulls(ended_at, reason, charge) = 0
      else num_nonnulls(ended_at, reason, charge, retry_at) = 0
    end
    and (charge is null or charge = 0 or (charge > 0 and sent_at is not null))),
  constraint attempts_reason check (
    reason is null
    or reason in ('Cancelled', 'WrittenOff', 'Orphaned')
    or (reason in ('NotCreated', 'Refused') and job_id is null)
    or (reason in ('JobFailed', 'JobLost', 'OutputsUnusable') and job_id is not null)
    or (reason = 'Succeeded' and ready_at is not null)),
  constraint attempts_number unique (task_key, number),
  constraint attempts_job unique (provider, job_id)
);
-- At most one attempt of a task may exist at the provider.
create unique index attempts_one_live on genop.attempts (task_key) where state <> 'ended';
create index attempts_in_flight on genop.attempts (provider, model, namespace) where state in ('sent', 'accepted');
create index attempts_line on genop.attempts (provider, priority desc, begun_at) where state = 'intended';
grant select, insert, update on genop.attempts to genop_app;

create function genop.check_attempt_step() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if old.state = 'ended' then
    raise exception 'cannot change an attempt that has ended' using errcode = 'GN002', table = 'attempts';
  end if;
  if (new.id, new.task_key, new.number, new.namespace, new.provider, new.model, new.begun_at)
     is distinct from (old.id, old.task_key, old.number, old.namespace, old.provider, old.model, old.begun_at)
     or (old.job_id is not null and new.job_id is distinct from old.job_id)
     or (old.sent_at is not null and new.sent_at is distinct from old.sent_at) then
    raise exception 'cannot change what an attempt is' using errcode = 'GN002', table = 'attempts';
  end if;
  if new.state not in (old.state, 'ended')
     and (old.state, new.state) not in (('intended', 'sent'), ('sent', 'accepted'), ('accepted', 'ready')) then
    raise exception 'cannot move an attempt between these states' using errcode = 'GN002', table = 'attempts';
  end if;
  return new;
end
$$;
create trigger attempts_step before update on genop.attempts for each row execute function genop.check_attempt_step();

create function genop.check_attempt_begin() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if new.state <> 'intended' then
    raise exception 'cannot begin an attempt in another state than intended' using errcode = 'GN002', table = 'attempts';
  end if;
  if exists (select from genop.tasks where key = new.task_key and ended_at is not null) then
    raise exception 'cannot begin an attempt of a task that has ended' using errcode = 'GN002', table = 'attempts';
  end if;
  return new;
end
$$;
create trigger attempts_begin before insert on genop.attempts for each row execute function genop.check_attempt_begin();

-- A terminal phase never changes, and no attempt lives on after it.
create function genop.check_task_step() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if new.key is distinct from old.key or new.registered_at is distinct from old.registered_at then
    raise exception 'cannot change what a task is' using errcode = 'GN002', table = 'tasks';
  end if;
  if old.ended_at is not null
     and (new.ended_at, new.ended_phase, new.ended_reason, new.ended_message)
         is distinct from (old.ended_at, old.ended_phase, old.ended_reason, old.ended_message) then
    raise exception 'cannot change how a task ended' using errcode = 'GN002', table = 'tasks';
  end if;
  if old.ended_at is null and new.ended_at is not null
     and exists (select from genop.attempts where task_key = new.key and state <> 'ended') then
    raise exception 'cannot end a task that has a live attempt' using errcode = 'GN002', table = 'tasks';
  end if;
  return new;
end
$$;
create trigger tasks_step before update on genop.tasks for each row execute function genop.check_task_step();

create table genop.assets (
  attempt_id  uuid not null references genop.attempts (id),
  position    integer not null check (position >= 0),
  name        text not null,
  uri         text not null,
  media_type  text not null,
  bytes       bigint not null check (bytes >= 0),
  sha256      text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  width       integer,
  height      integer,
  duration_ms bigint,
  primary key (attempt_id, name)
);
grant select, insert on genop.assets to genop_app;

-- What was asked of providers: a row per submit and per search. Evidence for people; decisions never read it.
create table genop.calls (
  id          bigint generated always as identity primary key,
  attempt_id  uuid not null references genop.attempts (id),
  operation   text not null check (operation in ('submit', 'search')),
  started_at  timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  outcome     text,
  code        text,
  epoch       bigint not null,
  constraint calls_finished check ((finished_at is null) = (outcome is null))
);
-- One submit per attempt, ever.
create unique index calls_one_submit on genop.calls (attempt_id) where operation = 'submit';
create index calls_attempt on genop.calls (attempt_id);
create index calls_age on genop.calls (started_at);
grant select, insert, delete on genop.calls to genop_app;
grant update (finished_at, outcome, code) on genop.calls to genop_app;

-- GCRA: the moment at which the next submit would be exactly on time. One row per provider, and the lock of its line.
create table genop.rates (
  provider text primary key,
  due_at   timestamptz not null default '-infinity'
);
grant select, insert, update on genop.rates to genop_app;
