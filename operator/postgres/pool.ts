// One bounded pool of connections with time limits on every kind of waiting. It knows nothing of tables.
import { Pool, types } from "pg";
import type { ClientBase, CustomTypesConfig, PoolConfig } from "pg";

export interface PoolSettings {
  /** `postgres://user@host/database`; TLS by its `sslmode`. */
  readonly url: string;
  /** Read at each new connection, so that a rotated password needs no restart. Absent: the one in the URL. */
  readonly password?: (() => string | Promise<string>) | undefined;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** One statement. The client gives up a second later, in case the server is gone without a word. */
  readonly statementTimeoutMs?: number | undefined;
  /** Waiting for a lock; below the statement's limit, so that the cause shows. */
  readonly lockTimeoutMs?: number | undefined;
  /** A process frozen inside a transaction loses it, and its locks, after this. */
  readonly idleInTransactionMs?: number | undefined;
  /** Waiting for a connection, new or from the pool. */
  readonly connectTimeoutMs?: number | undefined;
  /** Told of the code when a connection that nobody uses breaks: not a fault of any caller. */
  readonly onIdleError?: ((code: string) => void) | undefined;
}

/** The pool's default limits in milliseconds. Taking over leadership waits for at most the sum of the first three. */
export const POOL_LIMITS = {
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 5_000,
  idleInTransactionMs: 5_000,
  connectTimeoutMs: 5_000,
} as const;

// A statement whose client is gone (an aborted pass, a killed process) ends soon, and its locks with it.
const WATCH_CLIENT = "set client_connection_check_interval = '1s'";
const CLIENT_GRACE_MS = 1_000;
const IDLE_CONNECTION_MS = 60_000;
// Connections are renewed now and then, so that a failover's new primary and a rotated credential are found.
const CONNECTION_LIFETIME_SECONDS = 1_800;

/** A pool that connects when first used. End it with `pool.end()`. */
export function makePool(settings: PoolSettings): Pool {
  const limits = limitsOf(settings);
  const config: PoolConfig = {
    connectionString: settings.url,
    application_name: settings.applicationName,
    max: settings.maxConnections,
    statement_timeout: limits.statementTimeoutMs,
    lock_timeout: limits.lockTimeoutMs,
    query_timeout: limits.statementTimeoutMs + CLIENT_GRACE_MS,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
    keepAlive: true,
    ...hooks,
    types: integersAsBigint,
    ...(settings.password && { password: settings.password }),
  };
  const pool = new Pool(config);
  pool.on("error", (error: Error & { code?: string }) => settings.onIdleError?.(error.code ?? "unknown"));
  return pool;
}

/** The same database, and sessions that write nothing, whatever the login may do. */
export function readOnlyUrl(url: string): string {
  const changed = new URL(url);
  const options = [changed.searchParams.get("options"), "-c default_transaction_read_only=on"];
  changed.searchParams.set("options", options.filter((one) => one !== null).join(" "));
  return changed.href;
}

// The pool waits for this promise, though its types do not say so. Not every platform of a server knows the setting: without
// it the statement's own limit ends it.
const hooks = {
  onConnect: async (client: ClientBase): Promise<void> => {
    await client.query(WATCH_CLIENT).catch(() => undefined);
  },
};

function limitsOf(settings: PoolSettings): Record<keyof typeof POOL_LIMITS, number> {
  return {
    statementTimeoutMs: settings.statementTimeoutMs ?? POOL_LIMITS.statementTimeoutMs,
    lockTimeoutMs: settings.lockTimeoutMs ?? POOL_LIMITS.lockTimeoutMs,
    idleInTransactionMs: settings.idleInTransactionMs ?? POOL_LIMITS.idleInTransactionMs,
    connectTimeoutMs: settings.connectTimeoutMs ?? POOL_LIMITS.connectTimeoutMs,
  };
}

// Money must never pass through a float. The parsers are this pool's own: the driver's global table is left alone.
const integersAsBigint: CustomTypesConfig = {
  getTypeParser: (type, format) => {
    const isInteger = type === types.builtins.INT8 || type === types.builtins.NUMERIC;
    if (isInteger && format !== "binary") return (text: string) => BigInt(text);
    return types.getTypeParser(type, format) as (text: string) => unknown;
  },
};
