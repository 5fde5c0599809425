-- Why: what a person decided about a doubtful task moves money, and is kept where the money is: what, why, and who says to have decided.
-- Written in the transaction that carries it out, by the leader of that term. Who wrote the object is in the API server's audit log.

create table genop.decisions (
  id         bigint generated always as identity primary key,
  task_key   text not null references genop.tasks (key),
  -- The object that carried it: another one may stand for the wish later.
  task_uid   text not null,
  -- 0: before any attempt that the books know.
  attempt    integer not null check (attempt >= 0),
  decision   text not null check (decision in ('BindJob', 'NotCreated', 'WriteOff')),
  job_id     text,
  note       text,
  decided_by text,
  epoch      bigint not null,
  done_at    timestamptz not null default clock_timestamp(),
  constraint decisions_job check ((decision = 'BindJob') = (job_id is not null))
);
create index decisions_task on genop.decisions (task_key);

create trigger immutable before update or delete on genop.decisions for each row execute function genop.refuse_change();
create trigger immutable_whole before truncate on genop.decisions for each statement execute function genop.refuse_change();
alter table genop.decisions enable always trigger immutable;
alter table genop.decisions enable always trigger immutable_whole;
grant select, insert on genop.decisions to genop_app;
