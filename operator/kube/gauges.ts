// What the caches and controllers say of themselves, put into the metrics at each scrape.
import type { Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import { inSlices } from "../runtime/slices.ts";
import type { Store } from "../runtime/store.ts";
import { isFinal, type Phase } from "../task/phase.ts";
import type { ProvidersController } from "./providers-controller.ts";
import type { LiveQuotas } from "./quota.ts";
import type { CachedTask } from "./kept-task.ts";

export interface GaugesDeps {
  readonly tasks: Pick<Store<CachedTask>, "list">;
  readonly providers: Pick<ProvidersController, "ready">;
  readonly quotas: Pick<LiveQuotas, "problems" | "standing">;
  readonly clock: Clock;
}

/** Registers the collection; it is then made at each scrape. */
export function observeKube(metrics: Pick<Metrics, "onScrape" | "set" | "setAll">, deps: GaugesDeps): void {
  metrics.onScrape(async () => {
    const byPhase = await countByPhase(deps);
    metrics.setAll(
      "tasks",
      [...byPhase].map(([phase, { count }]) => ({ labels: { phase }, value: count })),
    );
    metrics.setAll(
      "oldestTask",
      [...byPhase].map(([phase, { oldestSeconds }]) => ({ labels: { phase }, value: oldestSeconds })),
    );

    const ready = [...deps.providers.ready()];
    metrics.setAll(
      "providerReady",
      ready.map(([provider, isReady]) => ({ labels: { provider }, value: isReady ? 1 : 0 })),
    );
    const unlimited = ready.filter(([provider]) => deps.quotas.standing(provider).state === "unlimited");
    metrics.set("quotaUnlimited", {}, unlimited.length);
    metrics.set("quotaProblems", {}, deps.quotas.problems().size);
  });
}

interface PhaseCount {
  readonly count: number;
  readonly oldestSeconds: number;
}

function ageSeconds(since: string | undefined, nowMs: number): number {
  return Math.max(0, (nowMs - Date.parse(since ?? "")) / 1000) || 0;
}

/** A task that was never reported is counted as Pending: nobody has looked at it yet. */
async function countByPhase({ tasks, clock }: GaugesDeps): Promise<ReadonlyMap<Phase, PhaseCount>> {
  const nowMs = clock.date().getTime();
  const phases = new Map<Phase, PhaseCount>();
  await inSlices(tasks.list(), clock, ({ metadata, phase = "Pending" }) => {
    const { count, oldestSeconds } = phases.get(phase) ?? { count: 0, oldestSeconds: 0 };
    phases.set(phase, {
      count: count + 1,
      oldestSeconds: isFinal(phase) ? 0 : Math.max(oldestSeconds, ageSeconds(metadata.creationTimestamp, nowMs)),
    });
  });
  return phases;
}
