-- Why: a namespace may have a budget for a day and for a calendar month. What it spends is kept by day, beside its balance and under
-- the same lock, so that a look at a few rows tells. The limits are configuration, and stand in no table.

create table genop.spending (
  namespace text not null,
  -- In UTC, by this database's clock: when the hold was placed, whenever it is settled.
  day       date not null,
  -- Held and settled. What is released of a hold is taken off its own day.
  spent     bigint not null,
  constraint spending_pkey primary key (namespace, day),
  constraint spending_never_negative check (spent >= 0)
) with (fillfactor = 50);
grant select on genop.spending to genop_app;

create function genop.utc_day(moment timestamptz) returns date language sql immutable set search_path = pg_catalog, pg_temp as $$
  select (moment at time zone 'UTC')::date
$$;

create function genop.count_hold() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.amount > 0 then
    insert into genop.spending as spending (namespace, day, spent)
      values (new.namespace, genop.utc_day(new.placed_at), new.amount)
      on conflict on constraint spending_pkey do update set spent = spending.spent + new.amount;
  end if;
  return null;
end
$$;
create trigger holds_count after insert on genop.holds for each row execute function genop.count_hold();

create function genop.count_release() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.released > 0 then
    update genop.spending spending set spent = spending.spent - new.released
      from genop.holds hold
     where hold.attempt_id = new.attempt_id and spending.namespace = hold.namespace
       and spending.day = genop.utc_day(hold.placed_at);
  end if;
  return null;
end
$$;
create trigger hold_resolutions_count after insert on genop.hold_resolutions
  for each row execute function genop.count_release();

-- What a namespace has spent in the day and in the month of a moment, and when these end. Days that a clock set back has left ahead count.
create function genop.spent(tenant text, moment timestamptz)
  returns table (day bigint, month bigint, day_ends timestamptz, month_ends timestamptz)
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(sum(spending.spent) filter (where spending.day = calendar.today), 0)::bigint,
         coalesce(sum(spending.spent), 0)::bigint,
         (calendar.today + 1)::timestamp at time zone 'UTC', calendar.next_month at time zone 'UTC'
    from (select genop.utc_day(moment) as today, date_trunc('month', moment at time zone 'UTC') as this_month,
                 date_trunc('month', moment at time zone 'UTC') + interval '1 month' as next_month) calendar
    left join genop.spending spending
      on spending.namespace = tenant and spending.day >= calendar.this_month and spending.day < calendar.next_month
   group by calendar.today, calendar.next_month
$$;
revoke execute on function genop.utc_day(timestamptz), genop.count_hold(), genop.count_release(), genop.spent(text, timestamptz)
  from public;
grant execute on function genop.utc_day(timestamptz), genop.spent(text, timestamptz) to genop_app, genop_reader;

insert into genop.spending (namespace, day, spent)
  select hold.namespace, genop.utc_day(hold.placed_at), sum(hold.amount - coalesce(resolution.released, 0))
    from genop.holds hold left join genop.hold_resolutions resolution on resolution.attempt_id = hold.attempt_id
   where hold.amount > 0
   group by hold.namespace, genop.utc_day(hold.placed_at);

create view genop.report_spending_mismatch as
  select namespace, day, spending.spent, counted.spent as counted
    from genop.spending
    full join (select hold.namespace, genop.utc_day(hold.placed_at) as day,
                      sum(hold.amount - coalesce(resolution.released, 0)) as spent
                 from genop.holds hold
                 left join genop.hold_resolutions resolution on resolution.attempt_id = hold.attempt_id
                group by hold.namespace, genop.utc_day(hold.placed_at)) counted using (namespace, day)
   where coalesce(spending.spent, 0) <> coalesce(counted.spent, 0);
grant select on genop.report_spending_mismatch to genop_app;

-- Until when a task waits for its namespace's budget.
alter table genop.tasks add column waiting_until timestamptz;
alter table genop.tasks drop constraint tasks_waiting;
alter table genop.tasks add constraint tasks_waiting check (
  case waiting_reason
    when 'InsufficientCredits' then waiting_position is null and waiting_until is null
    when 'BudgetExhausted' then waiting_position is null and waiting_until is not null
    when 'QuotaExhausted' then waiting_position >= 1 and waiting_until is null
    else waiting_reason is null and waiting_position is null and waiting_until is null
  end);
