// A fetch that was cut short by something that may pass: thrown where it happens, turned into an outcome in one place.

/** `code` is a stable word for metrics and status; never a URL, a body or another's text. */
export class Interruption extends Error {
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, retryAfterMs?: number) {
    super(`the fetch was interrupted: ${code}`);
    this.name = "Interruption";
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
