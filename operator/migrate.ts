// The migration job: brings the database schema up to date and ends. It runs as the role that owns the tables.
import { readMigrateConfig, runMigrations } from "./postgres/migrate-job.ts";

try {
  const applied = await runMigrations(readMigrateConfig(process.env));
  process.stdout.write(applied.length > 0 ? `applied ${applied.join(", ")}\n` : "the schema is up to date\n");
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : "cannot migrate: unknown fault"}\n`);
  process.exitCode = 1;
}
