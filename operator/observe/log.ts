// The log: one JSON object a line on stdout, an event's name and its fields, never a sentence with values in it.
// It is no place for bodies, prompts, credentials or URLs' queries; `redact.ts` holds the fence.
import { pino, type DestinationStream } from "pino";
import { redactFields } from "./redact.ts";

export type Level = "debug" | "info" | "warn" | "error";

/** Writes one event, such as "attempt.sent". Never throws. Fields may hold `error: unknown`. */
export type Log = (level: Level, event: string, fields?: Readonly<Record<string, unknown>>) => void;

export interface LogSettings {
  /** Events below this level are dropped. */
  readonly level: Level;
  /** Fields of every line, such as the role and the name of the pod. */
  readonly base: Readonly<Record<string, string>>;
  /** Where lines go; stdout when absent. */
  readonly destination?: DestinationStream;
}

/** Lines are written at once and in order: the last one before a crash is the one that is needed. */
export function makeLog(settings: LogSettings): Log {
  const { level: lowest, base, destination = pino.destination({ dest: 1, sync: true }) } = settings;
  const logger = pino(
    {
      level: lowest,
      base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return (level, event, fields = {}) => {
    if (!logger.isLevelEnabled(level)) return;
    logger[level]({ event, ...withoutReserved(redactFields(fields)) });
  };
}

const RESERVED = new Set(["event", "level", "time"]);

/** A field may not overwrite what every line has. */
function withoutReserved(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value]));
}
