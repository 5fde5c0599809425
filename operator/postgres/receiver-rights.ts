// Whether the receiver's login is what the whole world may have in its hands: it can hand webhooks in, and nothing else.
import type { Pool } from "pg";
import { PostgresFault } from "./faults.ts";
import { readRows } from "./transaction.ts";

// By the catalogue: to ask for a function in a schema that one may not see is an error.
const RIGHTS = `
select (select rolsuper from pg_roles where rolname = current_user) as superuser,
       coalesce((select has_schema_privilege(space.oid, 'usage') and has_function_privilege(one.oid, 'execute')
                   from pg_proc one join pg_namespace space on space.oid = one.pronamespace
                  where space.nspname = 'genop' and one.proname = 'receive_webhook'), false) as may_hand_in,
       exists (select from pg_class one join pg_namespace space on space.oid = one.relnamespace
                where space.nspname = 'genop' and one.relkind in ('r', 'p', 'v')
                  and has_table_privilege(one.oid, 'select, insert, update, delete, truncate')) as may_touch_tables`;

interface Rights {
  readonly superuser: boolean;
  readonly may_hand_in: boolean;
  readonly may_touch_tables: boolean;
}

/** Throws UNSAFE_DATABASE when the login has too few rights, or too many; any other PostgresFault when the database can't be asked. */
export async function checkReceiver(pool: Pool, signal: AbortSignal): Promise<void> {
  const [found] = await readRows<Rights>(pool, RIGHTS, [], signal);
  const about = found && dangerOf(found);
  if (about !== undefined) throw new PostgresFault("UNSAFE_DATABASE", { about });
}

function dangerOf({ may_hand_in, may_touch_tables, superuser }: Rights): string | undefined {
  if (superuser) return "the role is a superuser: use a login role that is a member of genop_receiver alone";
  if (may_touch_tables) return "the role may use tables: make it a member of genop_receiver and of nothing else";
  if (!may_hand_in)
    return "the role may not hand webhooks in: run the migrations, and make it a member of genop_receiver";
  return undefined;
}
