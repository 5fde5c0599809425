// The provider's line as it is now: read under the lock of its rate row, so that no two submits are admitted on the same place.
import { StaleMark } from "./fence.ts";
import type { FencedTransaction } from "./fence.ts";
import { LINE_PATIENCE_MS } from "./admission.ts";
import type { Line } from "./admission.ts";
import type { AttemptIn } from "../task/attempt.ts";

interface LineRow {
  readonly in_flight: number;
  readonly model_in_flight: number;
  readonly namespace_in_flight: number;
  readonly ahead: number;
  readonly model_ahead: number;
  readonly namespace_ahead: number;
  readonly waiting_ahead: number;
  readonly due_in_ms: number;
}

// Who is blocked by its own model or namespace holds no place in a line that is not blocked: it counts only among its own.
const LINE = `
with asking as (
  select id, task_key, namespace, model, priority, begun_at from genop.attempts where id = $1
), flight as (
  select count(*)::integer as in_flight,
         (count(*) filter (where other.model = asking.model))::integer as model_in_flight,
         (count(*) filter (where other.namespace = asking.namespace))::integer as namespace_in_flight
    from asking left join genop.attempts other
      on other.provider = $2 and other.state in ('sent', 'accepted')
   where other.id is not null
), line as (
  select count(*)::integer as waiting_ahead,
         (count(*) filter (where other.blocked_by in ('provider', 'rate')))::integer as ahead,
         (count(*) filter (where other.model = asking.model and other.blocked_by <> 'namespace'))::integer as model_ahead,
         (count(*) filter (where other.namespace = asking.namespace and other.blocked_by <> 'model'))::integer as namespace_ahead
    from asking join genop.attempts other
      on other.provider = $2 and other.state = 'intended' and other.id <> asking.id
     and other.wanted_at > clock_timestamp() - make_interval(secs => $3)
     and (other.priority > asking.priority
          or (other.priority = asking.priority and (other.begun_at, other.id) < (asking.begun_at, asking.id)))
)
select flight.*, line.*,
       (case when due_at = '-infinity' then 0
             else extract(epoch from due_at - clock_timestamp()) * 1000 end)::float8 as due_in_ms
  from flight, line, genop.rates where provider = $2`;

/** Locks the attempt's task, the attempt and its provider's line, in this order. StaleMark unless it is still intended. */
export async function lockLine(transaction: FencedTransaction, attempt: AttemptIn<"intended">): Promise<Line> {
  const { id, provider } = attempt;
  await transaction.rows(
    "select from genop.tasks where key = (select task_key from genop.attempts where id = $1) for update",
    [id],
  );
  const held = await transaction.count(
    "select from genop.attempts where id = $1 and provider = $2 and state = 'intended' for update",
    [id, provider],
  );
  if (held === 0) throw new StaleMark();
  await transaction.rows("insert into genop.rates (provider) values ($1) on conflict do nothing", [provider]);
  await transaction.rows("select from genop.rates where provider = $1 for update", [provider]);
  const [row] = await transaction.rows<LineRow>(LINE, [id, provider, LINE_PATIENCE_MS / 1000]);
  if (!row) throw new Error("cannot read the provider's line: its row is gone");
  return lineOf(row);
}

function lineOf(row: LineRow): Line {
  return {
    provider: { inFlight: row.in_flight, ahead: row.ahead },
    model: { inFlight: row.model_in_flight, ahead: row.model_ahead },
    namespace: { inFlight: row.namespace_in_flight, ahead: row.namespace_ahead },
    waitingAhead: row.waiting_ahead,
    dueInMs: row.due_in_ms,
  };
}
