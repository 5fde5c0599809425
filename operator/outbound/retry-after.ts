// The wait that a Retry-After header asks for. How much of it is believed is not decided here: see `withHint` in task/schedule.ts.

type Headers = Readonly<Record<string, string>>;

/**
 * Milliseconds from now, for seconds or a date; a date that has passed is no wait. Undefined when nothing readable is said. A date
 * is read against the answer's own Date header, where there is none against `now`, and without either not at all.
 */
export function retryAfterMs(headers: Headers, now?: Date): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  return millisecondsOf(text) ?? millisecondsUntil(text, headers.date, now);
}

/** A number of seconds, such as "7" or "0.25". */
export function millisecondsOf(seconds: string): number | undefined {
  return /^[0-9]{1,10}(\.[0-9]{1,9})?$/.test(seconds) ? Math.ceil(Number(seconds) * 1000) : undefined;
}

function millisecondsUntil(date: string, sentAt: string | undefined, now: Date | undefined): number | undefined {
  // A date is long; a bare number would be read as a year.
  const untilMs = date.length > 10 ? Date.parse(date) : Number.NaN;
  const sentMs = Date.parse(sentAt ?? "");
  const waitMs = untilMs - (Number.isNaN(sentMs) ? (now?.getTime() ?? Number.NaN) : sentMs);
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
