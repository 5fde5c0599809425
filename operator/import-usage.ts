// Brings a provider's usage export into the books: `node operator/import-usage.ts PROVIDER < usage.csv`. It writes lines down and moves
// no money: the leader judges and books them within minutes.
import { text } from "node:stream/consumers";
import { makePool } from "./postgres/pool.ts";
import { readUsage } from "./postgres/usage-file.ts";
import { importUsage } from "./postgres/usage-import.ts";

const USAGE =
  "usage: DATABASE_URL=postgres://… node operator/import-usage.ts PROVIDER < usage.csv (or JSON)\ncolumns: job_id, amount (credits), billed_at, and ref, the attempt's id, if the provider shows it\n";
const BATCH = 1000;

async function main(): Promise<void> {
  const [provider, ...others] = process.argv.slice(2);
  const { DATABASE_URL: url } = process.env;
  if (provider === undefined || provider.startsWith("-") || others.length > 0 || url === undefined) {
    process.stderr.write(USAGE);
    process.exitCode = 64; // EX_USAGE
    return;
  }
  const lines = readUsage(await text(process.stdin));
  const pool = makePool({ url, applicationName: "genop-import-usage", maxConnections: 1 });
  try {
    let imported = 0;
    for (let at = 0; at < lines.length; at += BATCH) {
      imported += await importUsage(pool, provider, lines.slice(at, at + BATCH));
    }
    process.stdout.write(`${imported} of ${lines.length} lines are new\n`);
  } finally {
    await pool.end();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : "cannot import: unknown fault"}\n`);
  process.exitCode = 1;
}
