// Alive, ready and leading are three facts. This puts the first two together from what the parts know.
import { startObserveServer } from "../observe/http.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Config } from "../config.ts";
import { eachOf } from "../kube/caches.ts";
import type { Caches } from "../kube/caches.ts";
import type { Log } from "../observe/log.ts";
import type { Controller } from "../runtime/controller.ts";
import { makeLoopMeter } from "../runtime/event-loop.ts";
import { liveness, readiness } from "../runtime/health.ts";
import type { HealthFacts } from "../runtime/health.ts";
import type { Part } from "../runtime/lifecycle.ts";
import { untilAborted } from "../runtime/signals.ts";

/** The longest that a pass may take: a download has the longest limit of all, a day. */
export const PASS_TIMEOUT_MS = 90_000_000;
const LIMITS = { loopStalledShare: 0.5, watchProgressMs: 300_000, passMs: PASS_TIMEOUT_MS + 600_000 };

export interface HealthSources {
  readonly caches: Caches;
  readonly controllers: readonly Controller[];
  readonly isStarted: () => boolean;
  readonly isStopping: () => boolean;
}

/** The first to start and the last to stop: it must tell of the others. */
export function healthPart(sources: HealthSources, metrics: Metrics, config: Config, log: Log): Part {
  return {
    name: "health",
    run: async ({ stop }, ready) => {
      const meter = makeLoopMeter();
      const facts = (): HealthFacts => factsOf(sources, meter.stalledShare());
      const server = await startObserveServer(
        { host: config.HTTP_HOST, port: config.HTTP_PORT },
        {
          live: () => liveness(facts(), LIMITS),
          ready: () => readiness(facts()),
          scrape: () => metrics.scrape(),
        },
      );
      log("info", "health.listening", { port: server.port });
      ready();
      await untilAborted(stop);
      await server.close();
      meter.stop();
    },
  };
}

function factsOf({ caches, controllers, isStarted, isStopping }: HealthSources, loopStalledShare: number): HealthFacts {
  return {
    loopStalledShare,
    watches: eachOf(caches).map((cache) => ({
      name: cache.name,
      isSynced: cache.hasSynced(),
      progressAgoMs: isStarted() ? cache.progressAgoMs() : 0,
    })),
    controllers: controllers.map((controller) => ({
      name: controller.name,
      longestPassMs: controller.longestPassMs(),
    })),
    isStarted: isStarted(),
    isStopping: isStopping(),
  };
}
