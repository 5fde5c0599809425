-- Why: a provider that refuses a used idempotency key says that it took the first submit. Against its word no absence is believed.

alter table genop.attempts
  add column taken_at timestamptz,
  add constraint attempts_taken check (taken_at is null or sent_at is not null);
