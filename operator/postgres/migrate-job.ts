// The migration job without its process: its settings, and one run.
import { grantMembership, migrate, readMigrations } from "./migrate.ts";
import type { Membership } from "./migrate.ts";
import { makePool } from "./pool.ts";

export interface MigrateSettings {
  readonly url: string;
  /** Instead of one inside the URL. */
  readonly password: string | undefined;
  /** Existing login roles that are to be made members of the groups. */
  readonly members: readonly Membership[];
  /** Whether the CustomResourceDefinitions are applied as well. */
  readonly withDefinitions: boolean;
}

const URL_PATTERN = /^postgres(ql)?:\/\//;
const ROLE_PATTERN = /^[a-zA-Z_][a-zA-Z0-9_$-]{0,62}$/;
const LOGINS = {
  MIGRATE_APP_LOGIN: "genop_app",
  MIGRATE_RECEIVER_LOGIN: "genop_receiver",
  MIGRATE_READER_LOGIN: "genop_reader",
} as const;
// Rewriting a large table takes its time; the job's own deadline in Kubernetes is the outer limit.
const LONGEST_STATEMENT_MS = 3_600_000;

/** The job's settings from its environment. Throws one message with all problems, and without any value. */
export function readMigrateConfig(env: Readonly<Record<string, string | undefined>>): MigrateSettings {
  const { MIGRATE_CRDS: withDefinitions = "false", MIGRATE_DATABASE_PASSWORD: password } = env;
  const { MIGRATE_DATABASE_URL: url = "" } = env;
  const logins = Object.entries(LOGINS).flatMap(([variable, group]) => {
    const login = env[variable];
    return login === undefined ? [] : [{ variable, group, login }];
  });
  const problems = [
    ...(URL_PATTERN.test(url)
      ? []
      : ["MIGRATE_DATABASE_URL must be a postgres:// URL with the role that owns the tables"]),
    ...logins
      .filter(({ login }) => !ROLE_PATTERN.test(login))
      .map(({ variable }) => `${variable} must be the name of a role`),
    ...(["true", "false"].includes(withDefinitions) ? [] : ["MIGRATE_CRDS must be true or false"]),
  ];
  if (problems.length > 0) throw new Error(`cannot migrate: bad configuration\n${problems.join("\n")}`);
  const members = logins.map(({ group, login }) => ({ group, login }));
  return { url, password, members, withDefinitions: withDefinitions === "true" };
}

/** Applies what is missing; answers the names of the files applied. */
export async function runMigrations(settings: Omit<MigrateSettings, "withDefinitions">): Promise<readonly string[]> {
  const { members, password, url } = settings;
  const pool = makePool({
    url,
    password: password === undefined ? undefined : () => password,
    applicationName: "genop-migrate",
    maxConnections: 1,
    statementTimeoutMs: LONGEST_STATEMENT_MS,
  });
  try {
    const applied = await migrate(pool, await readMigrations());
    for (const member of members) await grantMembership(pool, member);
    return applied;
  } finally {
    await pool.end();
  }
}
