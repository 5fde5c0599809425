// The mutants of a migrated database, enumerated from its own catalogue: nothing that guards can be added and forgotten here.
import type { Client } from "pg";
import type { Mutant } from "./mutant.ts";

interface Row {
  readonly name: string;
  readonly sql: string;
  readonly words: readonly string[];
}

const UNIQUE = `
select format('unique %s.%s', own.relname, index.relname) as name,
       case when con.conname is null then format('drop index genop.%I', index.relname)
            else format('alter table genop.%I drop constraint %I cascade', own.relname, con.conname) end as sql,
       array[index.relname, own.relname]::text[] as words
  from pg_index x
  join pg_class index on index.oid = x.indexrelid
  join pg_class own on own.oid = x.indrelid
  left join pg_constraint con on con.conindid = index.oid and con.contype in ('p', 'u')
 where own.relnamespace = 'genop'::regnamespace and x.indisunique`;

const CONSTRAINTS = `
select format('%s %s.%s', case con.contype when 'c' then 'check' else 'foreign key' end, own.relname, con.conname) as name,
       format('alter table genop.%I drop constraint %I', own.relname, con.conname) as sql,
       array[con.conname, own.relname]::text[] as words
  from pg_constraint con join pg_class own on own.oid = con.conrelid
 where own.relnamespace = 'genop'::regnamespace and con.contype in ('c', 'f')`;

const TRIGGERS = `
select format('trigger %s.%s', own.relname, tgname) as name, format('drop trigger %I on genop.%I', tgname, own.relname) as sql,
       array[tgname, proname, own.relname]::text[] as words
  from pg_trigger join pg_class own on own.oid = tgrelid join pg_proc on pg_proc.oid = tgfoid
 where own.relnamespace = 'genop'::regnamespace and not tgisinternal
union all
select format('always %s.%s', own.relname, tgname), format('alter table genop.%I enable trigger %I', own.relname, tgname),
       array['session_replication_role', tgname, own.relname]::text[]
  from pg_trigger join pg_class own on own.oid = tgrelid
 where own.relnamespace = 'genop'::regnamespace and not tgisinternal and tgenabled = 'A'`;

const LOCKING_FUNCTIONS = `
select format('lock %s()', proname) as name,
       regexp_replace(pg_get_functiondef(oid), '\\s+for (no key )?update( of \\w+)?', '', 'i') as sql,
       array[proname]::text[] as words
  from pg_proc where pronamespace = 'genop'::regnamespace and prosrc ~* '\\mfor (no key )?update\\M'`;

/** In the order of their names. */
export async function mutantsOfDatabase(client: Client): Promise<readonly Mutant[]> {
  const mutants: Mutant[] = [];
  for (const query of [UNIQUE, CONSTRAINTS, TRIGGERS, LOCKING_FUNCTIONS]) {
    const { rows } = await client.query<Row>(`${query} order by 1`);
    for (const { name, sql, words } of rows) mutants.push({ name, change: { in: "database", sql }, words });
  }
  return mutants;
}
