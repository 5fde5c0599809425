// The faults of the runtime. An error names the call and the API's own reason, never a query, a body or a header.

export interface KubeErrorDetails {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The API's reason ("Conflict", "NotFound", "Expired"), or ours: "Timeout", "Unreachable", "TooLarge", "BadAnswer". */
  readonly reason: string;
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly retryAfterMs?: number | undefined;
  /** Causes that the API lists by type, such as "ResourceVersionTooLarge". */
  readonly causes?: readonly string[];
}

/** A call to the API server that did not succeed. */
export class KubeError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly method: string;
  readonly path: string;
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly string[];

  constructor(details: KubeErrorDetails, cause?: unknown) {
    const { method, path, reason, status } = details;
    super(
      `cannot ${method} ${path}: ${reason}${status === 0 ? "" : ` (${status})`}`,
      cause === undefined ? {} : { cause },
    );
    this.name = "KubeError";
    this.status = status;
    this.reason = reason;
    this.method = method;
    this.path = path;
    this.retryAfterMs = details.retryAfterMs;
    this.causes = details.causes ?? [];
  }
}

/** The kubeconfig gives no credential. Its sentence is ours, and has nothing of what a plugin wrote. */
export class CredentialError extends Error {
  constructor(why: string) {
    super(`cannot authenticate: ${why}`);
    this.name = "CredentialError";
  }
}

/** A pass that cannot succeed however often it is repeated: no retry until the object changes. */
export class TerminalError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "TerminalError";
  }
}

/** A write that was not sent, because who wanted it may not act any more. */
export class TermOver extends Error {
  constructor(method: string, path: string) {
    super(`cannot ${method} ${path}: this process may not write it any more`);
    this.name = "TermOver";
  }
}

const answered = (error: unknown, status: number): error is KubeError =>
  error instanceof KubeError && error.status === status;

export function isNotFound(error: unknown): boolean {
  return answered(error, 404);
}

/** We have no right to it. */
export function isForbidden(error: unknown): boolean {
  return answered(error, 403);
}

/** Somebody else wrote first: read again and recompute. */
export function isConflict(error: unknown): boolean {
  return answered(error, 409) && error.reason !== "AlreadyExists";
}

export function isAlreadyExists(error: unknown): boolean {
  return answered(error, 409) && error.reason === "AlreadyExists";
}

/** The resource version is no longer known: list again. */
export function isExpired(error: unknown): boolean {
  return (
    answered(error, 410) || (error instanceof KubeError && (error.reason === "Expired" || error.reason === "Gone"))
  );
}

/** The server has not seen this resource version yet, or never will: list without one. */
export function isVersionTooLarge(error: unknown): boolean {
  return error instanceof KubeError && error.causes.includes("ResourceVersionTooLarge");
}

/** Refused by validation; also the answer to a JSON patch whose `test` failed. */
export function isInvalid(error: unknown): boolean {
  return answered(error, 422);
}

/** The wait that a fault asks for; a floor for every retry. */
export function retryAfterOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("retryAfterMs" in error)) return undefined;
  const { retryAfterMs } = error;
  return typeof retryAfterMs === "number" && retryAfterMs >= 0 ? retryAfterMs : undefined;
}
