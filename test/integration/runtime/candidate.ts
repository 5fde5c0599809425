// A process in small: one cache, one controller that acts while it leads, and one elector, over a connection of its own.
import { makeController } from "../../../operator/runtime/controller.ts";
import type { ElectorSettings, Term } from "../../../operator/runtime/elector.ts";
import { makeElector } from "../../../operator/runtime/elector.ts";
import { makeReflector } from "../../../operator/runtime/reflector.ts";
import type { RestMetrics } from "../../../operator/runtime/sender.ts";
import { makeTransport } from "../../../operator/runtime/transport.ts";
import { enqueueOnChange } from "../../../operator/runtime/triggers.ts";
import type { KubeConfig } from "@kubernetes/client-node";
import type { KubeObject, ResourceKind } from "../../../operator/runtime/objects.ts";

export interface CandidateDeps {
  readonly kubeConfig: KubeConfig;
  readonly namespace: string;
  readonly identity: string;
  readonly settings: ElectorSettings;
  readonly kind: ResourceKind;
  /** One pass of the leader of this term. */
  readonly pass: (pass: { readonly key: string; readonly object: KubeObject; readonly term: Term }) => Promise<void>;
  readonly metrics?: RestMetrics;
  readonly onLeading?: (term: Term) => void;
}

export interface Candidate {
  readonly identity: string;
  readonly led: Promise<Term>;
  /** True when it was stopped in order, false when it lost its lease; everything of it has ended then. */
  readonly ended: Promise<boolean>;
  readonly isLeading: () => boolean;
  stop(): void;
}

export function startCandidate(deps: CandidateDeps): Candidate {
  const { kubeConfig, namespace, identity, settings, kind, metrics } = deps;
  const transport = makeTransport({ kubeConfig, ...(metrics && { metrics }) });
  const cache = makeReflector<KubeObject>({ transport, kind, namespace });
  const led = Promise.withResolvers<Term>();
  const [stop, force] = [new AbortController(), new AbortController()];
  let term: Term | undefined;
  const controller = makeController({
    name: identity,
    keys: () => cache.keys(),
    mayAct: () => elector.isLeading(),
    settings: { workers: 4, drainMs: 5_000, abandonMs: 1_000 },
    reconcile: async (key) => {
      const object = cache.get(key);
      if (object && term) await deps.pass({ key, object, term });
      return "rest";
    },
  });
  enqueueOnChange(cache, controller);
  const elector = makeElector({
    ...{ transport, namespace, name: "lease", identity, settings },
    onStartedLeading: async (begun, lost) => {
      term = begun;
      led.resolve(begun);
      deps.onLeading?.(begun);
      await controller.run({ stop: stop.signal, force: lost });
    },
  });

  const run = async (): Promise<boolean> => {
    const caching = cache.run(force.signal);
    try {
      await cache.whenSynced(stop.signal);
      return (await elector.run({ stop: stop.signal, force: force.signal })) !== "lost";
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      return true;
    } finally {
      force.abort(new Error("over"));
      await caching;
      await transport.close();
    }
  };
  return { identity, led: led.promise, ended: run(), isLeading: () => elector.isLeading(), stop: () => stop.abort() };
}
