// What can go wrong with the database, in our words. A fault names the operation's class, the SQLSTATE and the constraint,
// and never carries the driver's error: its `detail` and `where` quote rows and parameters.
import { DatabaseError } from "pg";

export const FAULTS = {
  UNREACHABLE: "cannot reach Postgres: no connection, or it broke",
  TIMEOUT: "cannot finish the statement: Postgres cancelled it at its time limit",
  CONTENTION: "cannot commit: other transactions kept getting in the way",
  COMMIT_UNKNOWN: "cannot tell whether the transaction committed: the answer to COMMIT was lost",
  ROLLED_BACK: "cannot commit: Postgres answered COMMIT with ROLLBACK, nothing was written",
  REFUSED: "cannot write: Postgres refused the statement",
  KEY_REUSED: "cannot post the transaction: its business key was used before with another input",
  SCHEMA_OLD: "cannot start: the database schema is older than this version needs; run the migrations",
  SCHEMA_NEW: "cannot start: the database schema has a breaking migration that this version does not know",
  MIGRATION_CHANGED: "cannot migrate: a migration differs from the one that was applied",
  OTHER_INSTALLATION:
    "cannot start: the database belongs to another installation; adopt it explicitly or use another one",
  UNSAFE_DATABASE: "cannot start: the database would not keep what is written to it",
} as const;
export type FaultCode = keyof typeof FAULTS;

export interface FaultDetails {
  readonly sqlState?: string | undefined;
  /** The constraint, table or function that refused. */
  readonly constraint?: string | undefined;
  /** A few words of ours: a field, a file, a setting. Never a value that came from a user. */
  readonly about?: string | undefined;
}

/** Every error that this folder throws, except the reason of an aborted signal. */
export class PostgresFault extends Error {
  readonly code: FaultCode;
  readonly sqlState: string | undefined;
  readonly constraint: string | undefined;
  readonly about: string | undefined;

  constructor(code: FaultCode, details: FaultDetails = {}) {
    const hints = [details.about, details.constraint, details.sqlState].filter((hint) => hint !== undefined);
    super(hints.length > 0 ? `${FAULTS[code]} (${hints.join(", ")})` : FAULTS[code]);
    this.name = "PostgresFault";
    this.code = code;
    this.sqlState = details.sqlState;
    this.constraint = details.constraint;
    this.about = details.about;
  }
}

const UNIQUE_VIOLATION = "23505";
const QUERY_CANCELED = "57014";
const LOCK_NOT_AVAILABLE = "55P03";
// The server ended the session, never let it begin, or has become read-only: only a new connection can help.
const SESSION_ENDED = /^(08|53|57P|25P03|25P04|25006)/;

/** The driver's error as a fault. What is no error of the server is a broken connection. */
export function faultOf(error: unknown): PostgresFault {
  if (error instanceof PostgresFault) return error;
  if (!(error instanceof DatabaseError)) return new PostgresFault("UNREACHABLE", { about: networkCodeOf(error) });
  const sqlState = error.code ?? "";
  const details = { sqlState, constraint: error.constraint ?? error.table };
  if (isRetryable(sqlState)) return new PostgresFault("CONTENTION", details);
  if (sqlState === QUERY_CANCELED || sqlState === LOCK_NOT_AVAILABLE) return new PostgresFault("TIMEOUT", details);
  if (SESSION_ENDED.test(sqlState)) return new PostgresFault("UNREACHABLE", details);
  return new PostgresFault("REFUSED", details);
}

/** Serialization failures and deadlocks: the whole transaction may be tried again, and nothing of it has happened. */
export function isRetryable(sqlState: string | undefined): boolean {
  return sqlState === "40001" || sqlState === "40P01";
}

/** Whether what may be there once is there already, by this constraint if one is named. */
export function isTaken(error: unknown, constraint?: string): boolean {
  const isUnique = error instanceof PostgresFault && error.sqlState === UNIQUE_VIOLATION;
  return isUnique && (constraint === undefined || error.constraint === constraint);
}

/** True when the server itself said that the statement failed: then its transaction is certainly aborted. */
export function isServersWord(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.severity === "ERROR";
}

function networkCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^[A-Z0-9_]{1,40}$/.test(error.code) ? error.code : undefined;
}
