// What the processes beside the operator have in common: a log with their role, metrics, probes, and one part that does the work.
import type { Log, Level } from "../observe/log.ts";
import { makeLog } from "../observe/log.ts";
import { makeMetrics, type Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import { makeLifecycle, type Lifecycle, type Part } from "../runtime/lifecycle.ts";
import { plainHealthPart } from "./plain-health.ts";

export interface SideProcess {
  readonly role: string;
  readonly config: {
    readonly LOG_LEVEL: Level;
    readonly POD_NAME?: string | undefined;
    readonly HTTP_HOST: string;
    readonly HTTP_PORT: number;
  };
  readonly work: (log: Log, metrics: Metrics) => Part;
  /** The process's own unless told. */
  readonly clock?: Clock;
}

const SETTINGS = { startMs: 60_000, quietMs: 2_000, drainMs: 15_000, forceMs: 2_000 };

export function makeSideProcess({ clock, config, role, work }: SideProcess): Lifecycle {
  const log = makeLog({ level: config.LOG_LEVEL, base: { role, pod: config.POD_NAME ?? "" } });
  const metrics = makeMetrics();
  const health = plainHealthPart({
    at: { host: config.HTTP_HOST, port: config.HTTP_PORT },
    log,
    isReady: () => lifecycle.isReady(),
    scrape: () => metrics.scrape(),
  });
  const lifecycle: Lifecycle = makeLifecycle({
    log,
    parts: [health, work(log, metrics)],
    settings: SETTINGS,
    ...(clock && { clock }),
  });
  return lifecycle;
}
