// The same statements for pgbench: recorded from one real pair, with what changes from pair to pair as variables. Nothing is
// written by hand, so that the baseline can't fall behind.
import type { PoolClient } from "pg";
import { attemptOf, namespaceOf } from "./hall.ts";
import type { Hall, Heat } from "./hall.ts";
import { pair } from "./pair.ts";

interface Recorded {
  readonly text: string;
  readonly values: readonly unknown[];
  /** What the statement returned as `id`, if anything. */
  id: bigint | undefined;
}

/** As the driver is told it. */
type Said = string | { readonly text: string; readonly values?: readonly unknown[] };

interface Answer {
  readonly rows?: readonly { readonly id?: unknown }[];
}

/** A pgbench script of one pair; `eachClient` attempts of a client follow each other, from `:base` on. */
export async function scriptOf(hall: Hall, heat: Heat, eachClient: number): Promise<string> {
  const attempt = attemptOf((await hall.attempts(heat, 1)) + 1);
  const statements = await record(hall, (pool) => pair(pool, hall.fence, attempt, namespaceOf(heat, 0)));
  const posted = new Map<bigint, string>();
  const lines = statements.map((statement, place) => {
    const literal = (value: unknown): string => {
      if (typeof value === "bigint" && posted.has(value)) return `:${posted.get(value)}`;
      return literalOf(value)
        .replace(attempt, attemptOf(":number"))
        .replace(/^'cold-0'$/, "'cold-:client_id'");
    };
    const text = statement.text.replace(/\$(\d+)/g, (_, number: string) =>
      literal(statement.values[Number(number) - 1]),
    );
    const oneLine = text.replaceAll(/\s+/g, " ").trim().replaceAll(";", " \\;");
    if (statement.id === undefined) return `${oneLine};`;
    posted.set(statement.id, `posted${place}_id`);
    return `${oneLine}\n\\gset posted${place}_`;
  });
  return ["\\set done :done + 1", `\\set number :base + :client_id * ${eachClient} + :done`, ...lines, ""].join("\n");
}

/** All that goes over one connection, but for what the pool itself says at its beginning. */
async function record(hall: Hall, work: (pool: Hall["pool"]) => Promise<void>): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  const pool = hall.database.pool({ maxConnections: 1 });
  await pool.query("select 1");
  pool.once("acquire", (client: PoolClient) => {
    const query = client.query.bind(client) as unknown as (said: Said) => Promise<Answer>;
    const listening = async (said: Said): Promise<Answer> => {
      const { text, values = [] } = typeof said === "string" ? { text: said } : said;
      const statement: Recorded = { text, values, id: undefined };
      recorded.push(statement);
      const answer = await query(said);
      const id = answer.rows?.[0]?.id;
      if (typeof id === "bigint") statement.id = id;
      return answer;
    };
    Object.assign(client, { query: listening });
  });
  await work(pool);
  await pool.end();
  return recorded;
}

function literalOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `'{${value.join()}}'`;
  if (typeof value !== "string" && typeof value !== "bigint") throw new Error("cannot write this value as a literal");
  return `'${String(value).replaceAll("'", "''")}'`;
}
