// The providers controller over fakes: one provider, Secrets that answer as planned, a registry that remembers.
import type { WireProvider } from "../../../operator/kube/provider-object.ts";
import type { ProviderInput } from "../../../operator/kube/provider-registry.ts";
import { makeProvidersController, type ProvidersController } from "../../../operator/kube/providers-controller.ts";
import type { SecretRead } from "../../../operator/kube/secrets.ts";
import { KubeError } from "../../../operator/runtime/errors.ts";
import type { Reflector } from "../../../operator/runtime/reflector.ts";
import type { ChangeHandler } from "../../../operator/runtime/store.ts";

/** What one read of the Secret comes to; the last step goes on for ever. */
type Step = () => SecretRead | KubeError | Promise<SecretRead>;

export interface FakeProviders {
  /** What the registry was told, in order. */
  readonly told: readonly (ProviderInput | "removed")[];
  readonly patches: readonly unknown[];
  readonly reads: () => number;
  readonly providers: ProvidersController;
  set(next: WireProvider | undefined): void;
  /** Resolves once it holds, looked at after everything that happens. */
  until(holds: () => boolean): Promise<void>;
  end(): void;
}

export function makeFakeProviders(
  plan: readonly Step[],
  counts: () => Promise<{ inFlight: number; waiting: number }> = () => Promise.resolve({ inFlight: 1, waiting: 0 }),
): FakeProviders {
  const told: (ProviderInput | "removed")[] = [];
  const patches: unknown[] = [];
  const { happened, until } = makeWaiting();
  const store = makeStore();
  const ended = new AbortController();
  let reads = 0;
  const tell = (what: ProviderInput | "removed"): readonly string[] => {
    told.push(what);
    happened();
    return [];
  };

  const providers = makeProvidersController({
    reflector: store.reflector,
    resource: {
      patchStatus: (_, patch) => {
        patches.push(patch);
        happened();
        return Promise.resolve({ metadata: { name: "acme" } });
      },
    },
    namespace: "genop",
    secrets: {
      read: async () => {
        const step = plan[Math.min(reads, plan.length - 1)];
        reads += 1;
        happened();
        const answer = (await step?.()) ?? { outcome: "absent", message: "nothing was planned" };
        if (answer instanceof KubeError) throw answer;
        return answer;
      },
    },
    quotas: { standing: () => ({ state: "limited", message: "" }), onChange: () => undefined },
    registry: { put: (_, provider) => tell(provider), remove: () => void tell("removed"), lockedOut: () => undefined },
    usage: () => Promise.resolve({ state: "awaited" }),
    ...{ counts, mayReport: () => true, recorder: { record: () => undefined }, random: () => 0 },
  });
  void providers.controller.run({ stop: ended.signal, force: ended.signal });
  return {
    ...{ told, patches, providers, until, set: store.set },
    reads: () => reads,
    end: () => ended.abort(new Error("the test is over")),
  };
}

function makeStore(): {
  readonly reflector: Reflector<WireProvider>;
  readonly set: (next: WireProvider | undefined) => void;
} {
  const handlers: ChangeHandler<WireProvider>[] = [];
  let object: WireProvider | undefined;
  const reflector = {
    get: () => object,
    has: () => object !== undefined,
    keys: () => (object ? ["acme"] : []).values(),
    seen: () => ({ resourceVersion: "7", history: 0 }),
    onChange: (handler: ChangeHandler<WireProvider>) => void handlers.push(handler),
  };
  return {
    reflector: reflector as unknown as Reflector<WireProvider>, // the controller asks for nothing else
    set: (next) => {
      const previous = object;
      object = next;
      handlers.forEach((handler) => handler("acme", next, previous, { initial: false }));
    },
  };
}

function makeWaiting(): {
  readonly happened: () => void;
  readonly until: (holds: () => boolean) => Promise<void>;
} {
  let waiters: { readonly holds: () => boolean; readonly resolve: () => void }[] = [];
  const look = (): void => {
    waiters.filter(({ holds }) => holds()).forEach(({ resolve }) => resolve());
    waiters = waiters.filter(({ holds }) => !holds());
  };
  return {
    happened: () => void setImmediate(look),
    until: (holds) =>
      new Promise((resolve) => {
        waiters.push({ holds, resolve });
        look();
      }),
  };
}
