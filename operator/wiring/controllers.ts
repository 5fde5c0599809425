// The controllers: of tasks and grants by shard, of providers one for the process; and what wakes them.
import { observeKube } from "../kube/gauges.ts";
import { PROVIDERS, SECRETS } from "../kube/kinds.ts";
import type { UsageKnown } from "../kube/provider-conditions.ts";
import { makeProvidersController } from "../kube/providers-controller.ts";
import type { ProviderCounts } from "../kube/providers-controller.ts";
import { makeSecrets } from "../kube/secrets.ts";
import type { Reports } from "../postgres/reports.ts";
import { spentMost } from "../postgres/spending.ts";
import { usageStanding } from "../postgres/usage-reads.ts";
import type { UsageStanding } from "../postgres/usage-reads.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Controller } from "../runtime/controller.ts";
import { makeResource } from "../runtime/resources.ts";
import { BUDGETS_ENTRY } from "../task/budget.ts";
import { observeBudgets } from "./budgets.ts";
import type { ProviderBridge } from "./provider-bridge.ts";
import { makeShards } from "./shards.ts";
import type { Shards, ShardsDeps } from "./shards.ts";
import type { Wake } from "./wake.ts";

export type ControllersDeps = ShardsDeps;

export interface Controllers extends Pick<Shards, "works"> {
  readonly providers: Controller;
}

export function makeControllers(deps: ControllersDeps): Controllers {
  const { caches, isLeading, metrics, quotas } = deps;
  const { wake, works } = makeShards(deps);
  const providers = makeProvidersController({
    reflector: caches.providers,
    resource: makeResource(deps.transport, PROVIDERS, () => isLeading(0)),
    namespace: deps.config.OPERATOR_NAMESPACE,
    // Never kept: each pass must see a rotation.
    secrets: makeSecrets({
      resource: makeResource(deps.transport, SECRETS),
      clock: systemClock,
      settings: { keepMs: 0 },
    }),
    quotas,
    registry: waking(deps.providers, wake),
    counts: (name, signal) => countsOf(deps.reports, name, signal),
    usage: async (name, signal) => usageKnown(await usageStanding(deps.pool, name, signal)),
    mayReport: () => isLeading(0),
    recorder: deps.recorder,
    log: deps.log,
    metrics: deps.runtimeMetrics.controller("providers"),
  });
  quotas.onChange((entries) => {
    if (entries.includes(BUDGETS_ENTRY)) wake.allTasks();
    else wake.tasksOfProviders(entries);
  });
  observeBudgets(metrics, { quotas, spentMost: (atMost, signal) => spentMost(deps.pool, atMost, signal) });
  observeKube(metrics, { tasks: caches.tasks, providers, quotas, clock: systemClock });
  return { works, providers: providers.controller };
}

/** Whoever waits for a provider looks again when something is said of it. */
function waking(providers: ProviderBridge, wake: Wake): ProviderBridge {
  return {
    ...providers,
    put: (name, input) => {
      const problems = providers.put(name, input);
      wake.tasksOfProviders([name]);
      return problems;
    },
    remove: (name) => {
      providers.remove(name);
      wake.tasksOfProviders([name]);
    },
  };
}

async function countsOf(reports: Reports, name: string, signal: AbortSignal): Promise<ProviderCounts> {
  const counts = await reports.countsOf(name, signal);
  return { inFlight: counts?.inFlight ?? 0, waiting: counts?.waiting ?? 0 };
}

function usageKnown(standing: UsageStanding | undefined): UsageKnown {
  if (standing?.code !== undefined) return { state: "unreadable", code: standing.code };
  return { state: standing?.wasRead === true ? "read" : "awaited" };
}
