// Alive and ready, on a port of its own, as the operator tells it: runtime/health.ts judges, observe/http.ts serves.
import type { Registry } from "prom-client";
import { startObserveServer } from "../operator/observe/http.ts";
import type { Log } from "../operator/observe/log.ts";
import { makeLoopMeter } from "../operator/runtime/event-loop.ts";
import { liveness, readiness, type HealthFacts } from "../operator/runtime/health.ts";
import type { Part } from "../operator/runtime/lifecycle.ts";
import type { Reflector } from "../operator/runtime/reflector.ts";
import { untilAborted } from "../operator/runtime/signals.ts";
import type { CachedView } from "./tasks/view.ts";

export interface HealthSources {
  readonly cache: Pick<Reflector<CachedView>, "hasSynced" | "name" | "progressAgoMs">;
  readonly registry: Registry;
  readonly log: Log;
  readonly isStarted: () => boolean;
  readonly isStopping: () => boolean;
}

/** The first to start and the last to stop: it must tell of the others. */
export function healthPart(sources: HealthSources, at: { readonly host: string; readonly port: number }): Part {
  const { log, registry } = sources;
  return {
    name: "health",
    run: async ({ stop }, ready) => {
      const meter = makeLoopMeter();
      const facts = (): HealthFacts => factsOf(sources, meter.stalledShare());
      const server = await startObserveServer(at, {
        live: () => liveness(facts()),
        ready: () => readiness(facts()),
        scrape: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
      });
      log("info", "health.listening", { port: server.port });
      ready();
      await untilAborted(stop);
      await server.close();
      meter.stop();
    },
  };
}

function factsOf({ cache, isStarted, isStopping }: HealthSources, loopStalledShare: number): HealthFacts {
  const { name } = cache;
  const progressAgoMs = isStarted() ? cache.progressAgoMs() : 0;
  return {
    loopStalledShare,
    watches: [{ name, isSynced: cache.hasSynced(), progressAgoMs }],
    controllers: [],
    isStarted: isStarted(),
    isStopping: isStopping(),
  };
}
