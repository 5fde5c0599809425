-- Why: "no such job" and "no longer served" are doubted before a paid job is given up for them. Each doubt has its own beginning and
-- its own count, so that neither another doubt nor an interruption before it makes it look older than it is.

alter table genop.attempts
  add column missing_since timestamptz,
  add column missing_polls integer not null default 0,
  add column expired_since timestamptz,
  add constraint attempts_missing check (
    (missing_since is null) = (missing_polls = 0) and missing_polls >= 0
    and (missing_since is null or accepted_at is not null)),
  add constraint attempts_expired check (expired_since is null or ready_at is not null);
