-- Why: what providers tell by webhook. The receiver's role can hand a message in and do nothing else: it reads no table, and a message
-- for an attempt that does not exist, said twice, or beyond the bound, leaves no row. A claim is a job that a message names for a submit
-- without an answer; the provider itself must confirm it before it counts.

do $$
begin
  if not exists (select from pg_roles where rolname = 'genop_receiver') then
    create role genop_receiver nologin;
  end if;
exception
  when duplicate_object or unique_violation then null; -- roles belong to the server: another database's migration was faster
end
$$;
grant usage on schema genop to genop_receiver;

create table genop.webhook_inbox (
  id          bigint generated always as identity primary key,
  attempt_id  uuid not null references genop.attempts (id),
  -- SHA-256 of what makes two messages one: the sender's message id and the body.
  digest      text not null,
  headers     jsonb not null,
  body        bytea not null check (octet_length(body) <= 262144),
  received_at timestamptz not null default clock_timestamp(),
  read_at     timestamptz,
  -- What was made of it: see operator/task/webhook.ts.
  verdict     text,
  constraint webhook_inbox_once unique (attempt_id, digest),
  constraint webhook_inbox_read check ((read_at is null) = (verdict is null))
);
create index webhook_inbox_unread on genop.webhook_inbox (id) where read_at is null;
create index webhook_inbox_age on genop.webhook_inbox (received_at);
grant select, delete on genop.webhook_inbox to genop_app;
grant update (read_at, verdict) on genop.webhook_inbox to genop_app;

-- Hands a message in. True when it is new; false when it is known, is for no attempt of ours, or is one too many.
create function genop.receive_webhook(attempt uuid, message_digest text, message_headers jsonb, message_body bytea)
  returns boolean language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  entered bigint;
begin
  if (select count(*) from genop.webhook_inbox where attempt_id = attempt) >= 64 then
    return false;
  end if;
  insert into genop.webhook_inbox (attempt_id, digest, headers, body)
  select one.id, message_digest, message_headers, message_body from genop.attempts one where one.id = attempt
  on conflict on constraint webhook_inbox_once do nothing
  returning id into entered;
  if entered is null then
    return false;
  end if;
  perform pg_notify('genop_inbox', '');
  return true;
end
$$;
revoke execute on function genop.receive_webhook(uuid, text, jsonb, bytea) from public;
grant execute on function genop.receive_webhook(uuid, text, jsonb, bytea) to genop_receiver;

create table genop.claims (
  attempt_id uuid not null references genop.attempts (id),
  job_id     text not null,
  claimed_at timestamptz not null default clock_timestamp(),
  looks      integer not null default 0 check (looks >= 0),
  refused_at timestamptz,
  primary key (attempt_id, job_id)
);
create index claims_open on genop.claims (attempt_id, claimed_at) where refused_at is null;
grant select, insert on genop.claims to genop_app;
grant update (looks, refused_at) on genop.claims to genop_app;
