// Durations and sizes in the words of kubectl.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `240ms`, `12s`, `3m12s`, `5h4m`, `3d2h`: two units at most. Never negative. */
export function duration(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < SECOND) return `${ms}ms`;
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return two(ms, [MINUTE, "m"], [SECOND, "s"]);
  if (ms < DAY) return two(ms, [HOUR, "h"], [MINUTE, "m"]);
  return two(ms, [DAY, "d"], [HOUR, "h"]);
}

type Unit = readonly [size: number, letter: string];

function two(ms: number, [large, first]: Unit, [small, second]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${first}${rest > 0 ? `${rest}${second}` : ""}`;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** `512 B`, `1.5 MiB`. */
export function size(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power] ?? "B"}`;
}

const DURATION = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;

/** `30s`, `5m`, `1h30m` in milliseconds, as kubectl's --timeout has it. Undefined when it is not one. */
export function parseDuration(text: string): number | undefined {
  const [, hours, minutes, seconds] = DURATION.exec(text) ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return undefined;
  return Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE + Number(seconds ?? 0) * SECOND;
}
