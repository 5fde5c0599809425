// The migration job: brings the database schema, and if asked to the CustomResourceDefinitions, up to date and ends. It runs as
// the role that owns the tables, and with rights that the operator itself does not have.
import { applyDefinitions, DEFINITIONS, readDefinitions } from "./kube/crds.ts";
import { loadKubeConfig } from "./kube/kubeconfig.ts";
import { readMigrateConfig, runMigrations } from "./postgres/migrate-job.ts";
import { systemClock } from "./runtime/clock.ts";
import { makeResource } from "./runtime/resources.ts";
import { makeTransport } from "./runtime/transport.ts";

/** Applied and served: an API server takes a second for that. */
const DEFINITIONS_MS = 120_000;

async function main(): Promise<void> {
  const settings = readMigrateConfig(process.env);
  const applied = await runMigrations(settings);
  process.stdout.write(applied.length > 0 ? `applied ${applied.join(", ")}\n` : "the schema is up to date\n");
  if (!settings.withDefinitions) return;
  const names = await bringDefinitions();
  process.stdout.write(`applied ${names.join(", ")}\n`);
}

/** The names of the definitions, all served. */
async function bringDefinitions(): Promise<readonly string[]> {
  const transport = makeTransport({ kubeConfig: loadKubeConfig(process.env.KUBECONFIG) });
  try {
    const definitions = await readDefinitions();
    const signal = AbortSignal.timeout(DEFINITIONS_MS);
    await applyDefinitions(makeResource(transport, DEFINITIONS), definitions, { clock: systemClock, signal });
    return definitions.map(({ metadata }) => metadata.name);
  } finally {
    await transport.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : "cannot migrate: unknown fault"}\n`);
  process.exitCode = 1;
}
