// The provider accounts in use, by name. Takes what is said of them (object, Secret) and keeps ready what calls need;
// reads no cluster and decides nothing about tasks.
import type { Credential } from "../outbound/outbound.ts";
import { portOf, type UrlRules } from "../outbound/url.ts";
import type { ProviderClient, Providers } from "../reconcile/ports.ts";
import { isAllowed } from "../task/allowed.ts";
import type { ProviderSeen } from "../task/provider.ts";
import type { ProviderSpec } from "../task/provider-resource.ts";
import type { Problem } from "./adapter.ts";
import type { LockedOut } from "./lockout.ts";
import { makeProvider, type Provider, type UsageSource } from "./provider.ts";
import type { WebhookUrl } from "./request.ts";
import type { WebhookReading } from "./webhook/read.ts";
import type { Received } from "./webhook/signature.ts";
import { makeReading } from "./reading.ts";

export interface ProvidersDeps {
  /** Undefined: not known (yet). */
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>> | undefined;
  /** Calls at once in this process, read at each call; undefined: 16. */
  readonly concurrency: (provider: string) => {
    readonly submit: number | undefined;
    readonly query: number | undefined;
  };
  /** PEM, in place of the system's own. */
  readonly certificateAuthorities?: string;
  readonly now?: () => Date;
  /** The address of an attempt's webhooks. Absent: nobody listens, and expressions see "". */
  readonly webhookUrl?: WebhookUrl;
}

/** What a download of outputs needs to know of the provider. Holds a secret: never logged. */
export interface OutputAccess {
  readonly allowPrivateAddresses: boolean;
  readonly connectMs: number;
  readonly rules: UrlRules;
  readonly credential: Credential | undefined;
}

export interface ProviderRegistry extends Providers {
  /**
   * The object or its Secret changed; the same values again cost nothing. `credential` is undefined when the Secret or its key is
   * missing. A spec with problems starts nothing new, while the last good one goes on reading and cancelling what was begun.
   */
  put(name: string, spec: unknown, credential: string | undefined, webhookSecret?: string): void;
  remove(name: string): void;
  names(): readonly string[];
  /** What is wrong with the spec as it is now, field by field. */
  problems(name: string): readonly Problem[];
  /** What a webhook says. Undefined: the provider is not known (yet), or its keys must be fetched first. */
  hear(name: string, received: Received): WebhookReading | undefined;
  /** How its bill is read; undefined where it can't be. */
  usage(name: string): UsageSource | undefined;
  /** Since when the provider refuses us: cleared by the next call of that kind that goes through, or by another credential. */
  lockedOut(name: string): LockedOut | undefined;
  outputAccess(name: string): OutputAccess | undefined;
  /** Lets calls under way come to their end. */
  close(): Promise<void>;
}

/** Knows no provider until it is told of one. */
export function makeProviders(deps: ProvidersDeps): ProviderRegistry {
  const providers = new Map<string, Provider>();
  const leaving = new Set<Promise<void>>();
  const reading = makeReading();
  const now = deps.now ?? (() => new Date());

  function leave(closing: Promise<void>): void {
    const left = closing.finally(() => leaving.delete(left));
    leaving.add(left);
  }

  return {
    put: (name, spec, credential, webhookSecret) => {
      const known =
        providers.get(name) ??
        makeProvider(name, {
          concurrency: () => deps.concurrency(name),
          now,
          certificateAuthorities: deps.certificateAuthorities,
          reading,
          webhookUrl: deps.webhookUrl ?? (() => ""),
          leave,
        });
      providers.set(name, known);
      known.put(spec, credential, webhookSecret);
    },
    remove: (name) => {
      providers.get(name)?.close();
      providers.delete(name);
    },
    names: () => [...providers.keys()],
    see: (name, namespace) => seen(providers.get(name), namespace, deps.namespaceLabels),
    client: (name): ProviderClient | undefined => providers.get(name)?.client(),
    problems: (name) => providers.get(name)?.problems() ?? [],
    usage: (name) => providers.get(name)?.usage(),
    hear: (name, received) => providers.get(name)?.hear(received),
    lockedOut: (name) => providers.get(name)?.lockedOut(),
    outputAccess: (name) => accessOf(providers.get(name)),
    close: async () => {
      for (const provider of providers.values()) provider.close();
      providers.clear();
      await Promise.all(leaving);
    },
  };
}

function seen(
  provider: Provider | undefined,
  namespace: string,
  labelsOf: ProvidersDeps["namespaceLabels"],
): ProviderSeen {
  if (!provider) return { state: "absent" };
  const { spec, settings, complaint } = provider.current();
  if (!spec || !settings) return { state: "not-ready", settings: undefined, message: complaint ?? "it cannot be read" };

  const allowed = isAllowed(spec.allowedNamespaces, namespace, labelsOf);
  if (allowed === false) return { state: "not-allowed" };
  const message = allowed === undefined ? `the labels of namespace ${namespace} are not known yet` : complaint;
  return message === undefined ? { state: "ready", settings } : { state: "not-ready", settings, message };
}

function accessOf(provider: Provider | undefined): OutputAccess | undefined {
  const used = provider?.used();
  if (!used) return undefined;
  const { baseURL, network, outputs, timeouts }: ProviderSpec = used.spec;
  const own = new URL(baseURL);
  return {
    allowPrivateAddresses: network.allowPrivateAddresses,
    connectMs: timeouts.connectSeconds * 1000,
    rules: { allowPlainHttp: network.allowPlainHTTP, hosts: [...outputs.hosts, `${own.hostname}:${portOf(own)}`] },
    credential: outputs.auth === "SameOrigin" ? { origin: own.origin, headers: used.credential } : undefined,
  };
}
