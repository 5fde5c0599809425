// Whether the wish can ever be carried out. Looked at before the first attempt only: afterwards the task was tried.
import type { MicroCredits } from "./brand.ts";
import { formatCredits, parseCredits } from "./credits.ts";
import { after } from "./deadline.ts";
import { estimateOf } from "./provider.ts";
import type { TaskEnd } from "./facts.ts";
import type { Observation } from "./observation.ts";
import type { ProviderSettings } from "./provider.ts";
import { REASONS } from "./reasons.ts";
import type { Reason } from "./reasons.ts";
import type { TaskSpec } from "./resource.ts";
import { unreachable } from "./unreachable.ts";

/** Why the task is Rejected; undefined when it may go on, or when that can't be told yet. */
export function rejectionOf(seen: Observation): TaskEnd | undefined {
  return unsupported(seen) ?? badProvider(seen);
}

function unsupported(seen: Observation): TaskEnd | undefined {
  const { callback, moderation, slaClass } = seen.task.spec;
  if (callback)
    return rejected(
      "NotSupported",
      "cannot serve spec.callback: no callback sender is configured; leave it out and watch the task",
    );
  if (moderation) {
    return rejected(
      "NotSupported",
      `cannot serve spec.moderation.profile: the operator's configuration has no profile "${moderation.profile}"`,
    );
  }
  if (slaClass !== undefined && !Object.hasOwn(seen.policy.slaClasses, slaClass)) {
    return rejected(
      "NotSupported",
      `cannot serve spec.slaClass: the operator's configuration has no class "${slaClass}"`,
    );
  }
  return undefined;
}

function badProvider(seen: Observation): TaskEnd | undefined {
  const { provider, task } = seen;
  switch (provider.state) {
    case "absent": {
      const graceOver = seen.now.getTime() >= after(task.createdAt, seen.policy.providerGraceMs);
      return graceOver
        ? rejected("ProviderNotFound", `${REASONS.ProviderNotFound}: "${task.spec.providerRef.name}"`)
        : undefined;
    }
    case "not-allowed":
      return rejected(
        "NamespaceNotAllowed",
        `provider "${task.spec.providerRef.name}" does not serve this namespace: see its spec.allowedNamespaces`,
      );
    case "not-ready":
      return undefined;
    case "ready":
      return badPrice(seen, provider.settings);
    default:
      return unreachable(provider);
  }
}

function badPrice(seen: Observation, settings: ProviderSettings): TaskEnd | undefined {
  const { spec } = seen.task;
  const estimate = estimateOf(settings, spec);
  if (estimate.outcome === "unknown-model")
    return rejected("ModelNotFound", `provider "${settings.name}" has no model "${spec.model}"`);
  if (estimate.outcome === "unpriceable") return rejected("NotSupported", estimate.message);
  const tooDear = overCeiling(spec, estimate.amount);
  return tooDear === undefined ? undefined : rejected("OverCeiling", tooDear);
}

/** Why an attempt of this estimate is more than the task allows; undefined when it is not. Prices may rise between attempts. */
export function overCeiling(spec: TaskSpec, estimate: MicroCredits): string | undefined {
  const ceiling = spec.maxCredits === undefined ? undefined : parseCredits(spec.maxCredits);
  if (ceiling === undefined || estimate <= ceiling) return undefined;
  return `the estimate of ${formatCredits(estimate)} credits is over spec.maxCredits, ${spec.maxCredits ?? ""}`;
}

function rejected(reason: Reason, message: string): TaskEnd {
  return { phase: "Rejected", reason, message };
}
