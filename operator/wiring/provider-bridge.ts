// Joins what the cluster says of providers (operator/kube) with who talks to them (operator/providers).
import type { ProviderInput, ProviderRegistry as ClusterSide } from "../kube/provider-registry.ts";
import type { ProviderRegistry as CallSide } from "../providers/registry.ts";
import type { Providers } from "../reconcile/ports.ts";
import { settingsOf } from "../task/provider.ts";
import type { ProviderSeen } from "../task/provider.ts";

export interface ProviderBridge extends Providers, ClusterSide {}

/** A provider that exists and can't be used is `not-ready`, never `absent`: absence would reject its tasks. */
export function bridgeProviders(calls: CallSide): ProviderBridge {
  const unusable = new Map<string, string>();
  return {
    see: (name, namespace) => seen(calls.see(name, namespace), unusable.get(name)),
    client: (name) => calls.client(name),
    put: (name, input) => put(calls, unusable, name, input),
    remove: (name) => {
      unusable.delete(name);
      calls.remove(name);
    },
    lockedOut: (name) => calls.lockedOut(name)?.code,
  };
}

function seen(inner: ProviderSeen, message: string | undefined): ProviderSeen {
  if (message === undefined || inner.state === "not-allowed") return inner;
  return { state: "not-ready", settings: settingsOf(inner), message };
}

function put(calls: CallSide, unusable: Map<string, string>, name: string, input: ProviderInput): readonly string[] {
  if (input.state === "unusable") {
    unusable.set(name, input.message);
    // What was begun with it is brought to its end with the last good settings, or with these if there are none yet.
    if (input.spec && !calls.names().includes(name)) calls.put(name, input.spec, undefined);
    return [];
  }
  unusable.delete(name);
  calls.put(name, input.spec, input.credential, input.webhookSecret);
  return calls.problems(name).map(({ field, message }) => `${field}: ${message}`);
}
