// Collects what the demo is judged by when all is over: objects, the provider's own record, and the books. Reads only.
import { makePool } from "../../operator/postgres/pool.ts";
import { makeReports } from "../../operator/postgres/reports.ts";
import type { AttemptLine, ReportCount } from "../../operator/postgres/reports.ts";
import type { AccountStatement } from "../../operator/postgres/statement.ts";
import type { RecordContents } from "../provider/admin/contents.ts";
import type { ProviderAdmin } from "../provider/client.ts";
import type { SeenTask } from "../operator/watcher.ts";
import { accountOf } from "./statement.ts";
import type { Account } from "./statement.ts";
import { figuresOf } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { PROVIDERS, TENANTS } from "./names.ts";
import type { Stage } from "./cluster.ts";

export interface Findings {
  readonly tasks: readonly SeenTask[];
  readonly record: RecordContents;
  readonly attempts: readonly AttemptLine[];
  readonly reports: readonly ReportCount[];
  readonly statements: ReadonlyMap<string, AccountStatement>;
  readonly accounts: readonly Account[];
  readonly figures: Figures;
}

/** More than the demo and what its users add can make. */
const ALL_LINES = 10_000;
const READ_MS = 30_000;

export async function collect(
  { installation, names }: Stage,
  provider: ProviderAdmin,
  { seconds, tasks }: { readonly tasks: readonly SeenTask[]; readonly seconds: number },
): Promise<Findings> {
  const pool = makePool({ url: installation.databaseUrl, applicationName: "demo", maxConnections: 2 });
  const signal = AbortSignal.timeout(READ_MS);
  try {
    const reading = makeReports(pool);
    const record = await provider.record({ limit: ALL_LINES });
    const attempts = await Promise.all(
      PROVIDERS.map((name) => reading.attempts(names.provider(name), ALL_LINES, signal)),
    );
    const reports = await reading.run(signal);
    const statements = new Map<string, AccountStatement>();
    for (const namespace of TENANTS.map(names.namespace)) {
      statements.set(namespace, await reading.accountStatement(namespace, ALL_LINES, signal));
    }
    const facts = { tasks, record, attempts: attempts.flat(), reports };
    const mayPayTwice = new Set(
      tasks.filter(isResubmitting).map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`),
    );
    return {
      ...facts,
      statements,
      accounts: [...statements].map(([namespace, statement]) => accountOf(namespace, statement)),
      figures: figuresOf({ ...facts, mayPayTwice, seconds }),
    };
  } finally {
    await pool.end();
  }
}

function isResubmitting(task: SeenTask & { readonly spec?: { readonly unknownPolicy?: string } }): boolean {
  return task.spec?.unknownPolicy === "Resubmit";
}
