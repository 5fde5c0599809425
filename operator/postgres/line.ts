// The provider's line: who is at the provider, who waits before whom, and when the next submit is due.
// Places are given away only under the lock of the provider's row in genop.rates, so that no two submits get the same one.
import { StaleMark } from "./fence.ts";
import type { FencedTransaction } from "./fence.ts";
import { LINE_LENGTH, LINE_PATIENCE_MS } from "./admission.ts";
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
  select id, namespace, model, priority, begun_at from genop.attempts where id = $1
), flight as (
  select count(*)::integer as in_flight,
         (count(*) filter (where other.model = asking.model))::integer as model_in_flight,
         (count(*) filter (where other.namespace = asking.namespace))::integer as namespace_in_flight
    from asking join genop.attempts other on other.provider = $2 and other.state in ('sent', 'accepted')
), before as (
  select other.model = asking.model as same_model, other.namespace = asking.namespace as same_namespace,
         other.blocked_by
    from asking join genop.attempts other
      on other.provider = $2 and other.state = 'intended' and other.id <> asking.id
     and other.wanted_at > clock_timestamp() - make_interval(secs => $3)
     and (other.priority > asking.priority
          or (other.priority = asking.priority and (other.begun_at, other.id) < (asking.begun_at, asking.id)))
   limit $4
), line as (
  select count(*)::integer as waiting_ahead,
         (count(*) filter (where blocked_by in ('provider', 'rate')))::integer as ahead,
         (count(*) filter (where same_model and blocked_by <> 'namespace'))::integer as model_ahead,
         (count(*) filter (where same_namespace and blocked_by <> 'model'))::integer as namespace_ahead
    from before
)
select flight.*, line.*,
       coalesce((select extract(epoch from due_at - clock_timestamp()) * 1000
                   from genop.rates where provider = $2 and due_at > clock_timestamp()), 0)::float8 as due_in_ms
  from flight, line`;

/**
 * Locks the attempt's task. StaleMark unless the attempt is still intended: then it stays so, since nobody moves an intended
 * attempt without this lock.
 */
export async function lockTask(transaction: FencedTransaction, { id }: AttemptIn<"intended">): Promise<void> {
  await transaction.rows(
    "select from genop.tasks where key = (select task_key from genop.attempts where id = $1) for update",
    [id],
  );
  // A statement of its own: the one that waited for the lock still sees what was before the wait.
  const found = await transaction.count("select from genop.attempts where id = $1 and state = 'intended'", [id]);
  if (found === 0) throw new StaleMark();
}

/** From here to the end of the transaction nobody else is admitted to this provider. */
export async function lockLine(transaction: FencedTransaction, provider: string): Promise<void> {
  await transaction.rows("insert into genop.rates (provider) values ($1) on conflict do nothing", [provider]);
  await transaction.rows("select from genop.rates where provider = $1 for update", [provider]);
}

/** The line as this attempt sees it. Without the lock it may be shorter in truth a moment later, never believed for good. */
export async function readLine(transaction: FencedTransaction, attempt: AttemptIn<"intended">): Promise<Line> {
  const { id, provider } = attempt;
  const [row] = await transaction.rows<LineRow>(LINE, [id, provider, LINE_PATIENCE_MS / 1000, LINE_LENGTH]);
  if (!row) throw new Error("cannot read the provider's line: the statement answered without a row");
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
