// Every way in which a request can be refused, once: its word, status and title. docs/reference/problems.md is held to this
// table by a test. Answers name fields and codes, never internal text, a stack, a token or what is in another namespace.

export const PROBLEMS = {
  "invalid-request": { status: 400, title: "A parameter or header can't be read" },
  "invalid-json": { status: 400, title: "The body is not JSON within the limits" },
  "idempotency-key-missing": { status: 400, title: "The request needs an Idempotency-Key" },
  "namespace-missing": { status: 400, title: "The namespace is not known" },
  unauthenticated: { status: 401, title: "The token is missing or not valid" },
  forbidden: { status: 403, title: "The cluster does not allow this" },
  "refused-by-cluster": { status: 403, title: "The cluster refused the task" },
  "not-found": { status: 404, title: "There is nothing here" },
  "method-not-allowed": { status: 405, title: "This can't be done here" },
  "request-timeout": { status: 408, title: "The request took too long to arrive" },
  "being-deleted": { status: 409, title: "The task is being deleted" },
  "name-taken": { status: 409, title: "Another object has the task's name" },
  conflict: { status: 409, title: "Somebody else changed the task at the same time" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The body is not application/json" },
  "invalid-body": { status: 422, title: "The body does not say what it must" },
  "idempotency-key-reused": { status: 422, title: "The key was used for another body" },
  "too-many-requests": { status: 429, title: "The namespace asks too often" },
  "too-many-streams": { status: 429, title: "There are too many event streams" },
  "header-too-large": { status: 431, title: "The headers are too large, or too many" },
  internal: { status: 500, title: "Something is broken here" },
  "books-unavailable": { status: 503, title: "New work can't be recorded now" },
  "backlog-full": { status: 503, title: "Too much work is waiting" },
  "cluster-unavailable": { status: 503, title: "The Kubernetes API does not answer" },
  "storage-unavailable": { status: 503, title: "The object store can't be used" },
  overloaded: { status: 503, title: "Too many requests are under way" },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** What passes by itself: the same request may be sent again, and its sender is told when. */
type PassingCode = {
  [Code in ProblemCode]: (typeof PROBLEMS)[Code]["status"] extends 429 | 503 ? Code : never;
}[ProblemCode];

/** One thing that is wrong with the body: a JSON pointer into it, and why. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

export interface ProblemDetails {
  /** "cannot <what>: <why, and the way out>". */
  readonly detail: string;
  readonly retryAfterSeconds?: number;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by handlers; the server answers it as it is. `cause` is logged and never answered. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: PassingCode, details: ProblemDetails & { readonly retryAfterSeconds: number }, cause?: unknown);
  constructor(code: Exclude<ProblemCode, PassingCode>, details: ProblemDetails, cause?: unknown);
  constructor(code: ProblemCode, details: ProblemDetails, cause?: unknown) {
    super(details.detail, cause === undefined ? {} : { cause });
    this.name = "Problem";
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

export const PROBLEM_TYPE = "application/problem+json";

/** The body of RFC 9457. `type` names the row of docs/reference/problems.md; `instance` names the request in the log. */
export function bodyOf({ code, details }: Problem, requestId: string): Readonly<Record<string, unknown>> {
  const { status, title } = PROBLEMS[code];
  const { detail, errors } = details;
  return {
    type: `urn:genop:problem:${code}`,
    title,
    status,
    detail,
    instance: `urn:uuid:${requestId}`,
    code,
    ...(errors && { errors }),
  };
}

export function headersOf({ details }: Problem): Readonly<Record<string, string>> {
  return {
    ...(details.retryAfterSeconds !== undefined && { "retry-after": String(details.retryAfterSeconds) }),
    ...details.headers,
  };
}
