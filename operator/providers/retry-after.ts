// The wait that a provider asks for: by its Retry-After header, or by a number of seconds in the body.
import { millisecondsOf, retryAfterMs as headerMs } from "../outbound/retry-after.ts";
import { fieldOf } from "./json.ts";

export interface Hinted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Milliseconds from now; undefined when nothing readable was said. The header comes first. */
export function retryAfterMs({ headers, body }: Hinted, now: Date): number | undefined {
  return (
    headerMs(headers, now) ?? msOf(fieldOf(body, "retry_after")) ?? msOf(fieldOf(fieldOf(body, "error"), "retry_after"))
  );
}

function msOf(seconds: unknown): number | undefined {
  const isText = typeof seconds === "string" || typeof seconds === "number";
  return isText ? millisecondsOf(String(seconds).trim()) : undefined;
}
