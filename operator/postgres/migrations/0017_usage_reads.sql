-- Why: a provider's usage export is read by the leader, a span of time after the other. How far it has come stands here, so that whoever leads
-- next goes on from there.

create table genop.usage_reads (
  provider text primary key,
  -- The bill is in genop.usage_lines up to this moment, but for what the provider adds later.
  through  timestamptz not null,
  -- When it was last read up to the present; null: not yet.
  read_at  timestamptz,
  next_at  timestamptz not null default clock_timestamp(),
  -- In a row; the code is that of the last one.
  failures integer not null default 0,
  code     text,
  since    timestamptz not null default clock_timestamp(),
  constraint usage_reads_failed check (failures >= 0 and (failures = 0) = (code is null))
);
grant select, insert, update on genop.usage_reads to genop_app;
