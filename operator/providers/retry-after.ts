// The wait that a provider asks for: Retry-After in seconds or as a date, or a number of seconds in the body.
import { fieldOf } from "./json.ts";

// A provider that asks for more has another problem; a task must not sleep for a year because of a typo.
const MAX_MS = 86_400_000;

export interface Hinted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Milliseconds from now; undefined when nothing readable was said. Dates are read against the answer's own Date header. */
export function retryAfterMs({ headers, body }: Hinted, now: Date): number | undefined {
  const seconds =
    secondsOf(headers["retry-after"]) ??
    secondsUntil(headers["retry-after"], headers.date, now) ??
    secondsOf(fieldOf(body, "retry_after")) ??
    secondsOf(fieldOf(fieldOf(body, "error"), "retry_after"));
  return seconds === undefined ? undefined : Math.min(Math.ceil(seconds * 1000), MAX_MS);
}

function secondsOf(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^[0-9]{1,10}(\.[0-9]{1,9})?$/.test(text.trim()) ? Number(text) : undefined;
}

function secondsUntil(date: string | undefined, sentAt: string | undefined, now: Date): number | undefined {
  // A date is long; a bare number would be read as a year.
  const untilMs = date !== undefined && date.length > 10 ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(untilMs)) return undefined;
  const sentAtMs = Date.parse(sentAt ?? "");
  return Math.max(0, untilMs - (Number.isNaN(sentAtMs) ? now.getTime() : sentAtMs)) / 1000;
}
