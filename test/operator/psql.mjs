#!/usr/bin/env node
// Stands in for psql where there is none: `psql URL -c STATEMENT`, its rows as JSON. Fails as psql does, with status 1.
import pg from "pg";

const [url, flag, statement] = process.argv.slice(2);
if (flag !== "-c" || statement === undefined) throw new Error("this psql knows `psql URL -c STATEMENT` alone");
const client = new pg.Client({ connectionString: url });
await client.connect();
try {
  const { rows } = await client.query(statement);
  process.stdout.write(`${JSON.stringify(rows)}\n`);
} finally {
  await client.end();
}
