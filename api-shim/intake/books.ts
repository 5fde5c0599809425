// Whether the operator's database answers, as the operator itself says: it counts what it could not read for a scrape of its
// metrics. Only a failure that it tells counts; an operator that can't be reached proves nothing about its books.
import { request, type Dispatcher } from "undici";
import { sleep, type Clock } from "../../operator/runtime/clock.ts";
import type { Log } from "../../operator/observe/log.ts";

export interface Books {
  /** "down" from a scrape that told a failure until one that told none. "unknown" before the first, and while none comes. */
  state(): "up" | "down" | "unknown";
  /** Goes on until aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export interface BooksDeps {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatcher?: Dispatcher;
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;
const SCRAPE_MS = 10_000;
const MAX_PROCESSES = 32;
const MAX_BYTES = 8 * 1024 * 1024;

/** What one process of the operator said: `startedSeconds` tells it from another one behind the same address. */
interface Scrape {
  readonly startedSeconds: number;
  readonly failures: number;
}

export function makeBooks({ url, clock, log, dispatcher, everyMs = EVERY_MS }: BooksDeps): Books {
  let state: ReturnType<Books["state"]> = "unknown";
  let wasReached: boolean | undefined;
  // The highest count of each process behind the address, by its start.
  const told = new Map<number, number>();

  function become(next: typeof state): void {
    if (next !== state) log(next === "down" ? "warn" : "info", "intake.books", { state: next });
    state = next;
  }

  async function look(signal: AbortSignal): Promise<void> {
    const scrape = await scrapeOf(url, dispatcher, AbortSignal.any([signal, AbortSignal.timeout(SCRAPE_MS)]));
    const before = told.get(scrape.startedSeconds);
    // The count of a process that is seen for the first time may be old.
    if (before !== undefined || state === "unknown") become(scrape.failures > (before ?? Infinity) ? "down" : "up");
    told.delete(scrape.startedSeconds);
    told.set(scrape.startedSeconds, Math.max(before ?? 0, scrape.failures));
    const [oldest] = told.keys();
    if (told.size > MAX_PROCESSES && oldest !== undefined) told.delete(oldest);
  }

  return {
    state: () => state,
    run: async (signal) => {
      while (!signal.aborted) {
        await look(signal).then(
          () => (wasReached = true),
          (error: unknown) => {
            if (signal.aborted) return;
            if (wasReached !== false) log("warn", "intake.operator-unreachable", { error });
            wasReached = false;
            become("unknown");
          },
        );
        await sleep(clock, everyMs, signal).catch(() => undefined);
      }
    },
  };
}

async function scrapeOf(url: string, dispatcher: Dispatcher | undefined, signal: AbortSignal): Promise<Scrape> {
  const { body, statusCode } = await request(url, { signal, ...(dispatcher && { dispatcher }) });
  let text = "";
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > MAX_BYTES) throw new Error("cannot read the operator's metrics: the page is too large");
  }
  if (statusCode !== 200) throw new Error(`cannot read the operator's metrics: status ${statusCode}`);
  return {
    startedSeconds: valueOf(text, "process_start_time_seconds"),
    failures: valueOf(text, "genop_metrics_collect_failures_total"),
  };
}

/** The value of a metric without labels. */
function valueOf(text: string, name: string): number {
  const value = new RegExp(`^${name} ([0-9.e+]+)$`, "m").exec(text)?.[1];
  if (value === undefined) throw new Error(`cannot read the operator's metrics: ${name} is not there`);
  return Number(value);
}
