// One provider by name, over the changes of its object and its Secret. What it waits in line with (slots) and what it remembers
// (being locked out) outlives a change; connections do not.
import { isDeepStrictEqual } from "node:util";
import { makeSlots } from "../outbound/slots.ts";
import type { ProviderClient } from "../reconcile/ports.ts";
import type { ProviderSettings } from "../task/provider.ts";
import type { ProviderSpec } from "../task/provider-resource.ts";
import { makeAccount, type Account } from "./account.ts";
import type { Problem } from "./adapter.ts";
import { compileProvider, type CompiledProvider } from "./compile.ts";
import { credentialHeaders, type CredentialHeaders } from "./headers.ts";
import { makeLockout, type LockedOut, type Lockout } from "./lockout.ts";
import type { Reading } from "./reading.ts";
import type { WebhookUrl } from "./request.ts";
import type { ReadUsage } from "./usage-calls.ts";
import { hearByKeySet, hearBySecret } from "./webhook/hear.ts";
import type { WebhookReading } from "./webhook/read.ts";
import type { Received } from "./webhook/signature.ts";

export interface ProviderDeps {
  readonly concurrency: () => { readonly submit: number | undefined; readonly query: number | undefined };
  readonly now: () => Date;
  readonly certificateAuthorities: string | undefined;
  readonly reading: Reading;
  readonly webhookUrl: WebhookUrl;
  /** Is told of connections that are on their way out. */
  readonly leave: (closing: Promise<void>) => void;
}

export interface Provider {
  put(spec: unknown, credential: string | undefined, webhookSecret?: string): void;
  current(): {
    readonly spec: ProviderSpec | undefined;
    readonly settings: ProviderSettings | undefined;
    /** Why nothing new may start. */
    readonly complaint: string | undefined;
  };
  /** The spec and credential that calls are made with now; the last good spec while the present one has problems. */
  used(): { readonly spec: ProviderSpec; readonly credential: Readonly<Record<string, string>> } | undefined;
  client(): ProviderClient | undefined;
  /** Undefined where its bill can't be read: nothing says how, or there is no credential. */
  usage(): UsageSource | undefined;
  /** What a webhook of this provider says; "unexpected" where its spec knows none. Undefined: it can't be told yet. */
  hear(received: Received): WebhookReading | undefined;
  problems(): readonly Problem[];
  lockedOut(): LockedOut | undefined;
  close(): void;
}

/** A provider's bill, and how often and how far back it is to be read. */
export interface UsageSource {
  readonly everySeconds: number;
  readonly overlapSeconds: number;
  readonly read: ReadUsage;
}

const UNEXPECTED: WebhookReading = { verdict: "unexpected", jobId: undefined };

const DEFAULT_CONCURRENT = 16;

type Good = Extract<CompiledProvider, { readonly ok: true }>;

/** What calls are made with. The credential is that of this spec's own Secret, and goes to this spec's origin only. */
interface InUse {
  readonly compiled: Good;
  readonly account: Account;
  readonly secret: { headers: CredentialHeaders };
}

/** Unknown until the first `put`; does no I/O by itself. */
export function makeProvider(name: string, deps: ProviderDeps): Provider {
  const lockout = makeLockout(deps.now);
  const use = makeUser(deps, lockout);
  let webhookKey: string | undefined;
  let given: { readonly specText: string | undefined; readonly credential: string | undefined } | undefined;
  let compiled: CompiledProvider | undefined;
  let inUse: InUse | undefined;

  function close(): void {
    if (inUse) deps.leave(inUse.account.close());
    inUse = undefined;
  }

  function readSpec(spec: unknown): void {
    compiled = compileProvider(spec, name);
    if (!compiled.ok) return;
    close();
    inUse = use(compiled);
  }

  // The last good spec must not be given the Secret that a later, broken one names.
  function showCredential(credential: string | undefined): void {
    const own = inUse?.compiled.spec.credentials;
    if (inUse && isDeepStrictEqual(compiled?.spec?.credentials, own))
      inUse.secret.headers = credentialHeaders(own, credential);
  }

  return {
    put: (spec, credential, webhookSecret) => {
      webhookKey = webhookSecret?.trim();
      if (given?.credential !== credential) lockout.forget();
      const specText = JSON.stringify(spec) as string | undefined;
      if (given?.specText !== specText) readSpec(spec);
      given = { specText, credential };
      showCredential(credential);
    },
    current: () => ({
      spec: compiled?.spec,
      settings: compiled?.settings,
      complaint: complaintOf(compiled, inUse?.secret.headers),
    }),
    used: () =>
      inUse?.secret.headers.ok ? { spec: inUse.compiled.spec, credential: inUse.secret.headers.headers } : undefined,
    client: () => {
      if (!inUse?.secret.headers.ok) return undefined;
      return compiled?.ok ? inUse.account.client : { ...inUse.account.client, ...NOTHING_NEW };
    },
    usage: () => usageOf(inUse),
    hear: (received) => hear(inUse, webhookKey, received, deps.reading),
    problems: () => (compiled && !compiled.ok ? compiled.problems : []),
    lockedOut: () => lockout.current(),
    close,
  };
}

function usageOf(inUse: InUse | undefined): UsageSource | undefined {
  const usage = inUse?.compiled.spec.http?.usage;
  if (!inUse?.secret.headers.ok || !usage) return undefined;
  const { everySeconds, overlapSeconds } = usage;
  return { everySeconds, overlapSeconds, read: inUse.account.usage };
}

function hear(
  inUse: InUse | undefined,
  secret: string | undefined,
  received: Received,
  reading: Reading,
): WebhookReading | undefined {
  const reader = inUse?.compiled.adapter.webhook;
  if (!reader) return UNEXPECTED;
  const { keys } = inUse.account;
  if (keys) return hearByKeySet(reader, keys, received, reading);
  return hearBySecret(reader, secret, received, reading);
}

function makeUser(deps: ProviderDeps, lockout: Lockout): (compiled: Good) => InUse {
  const slots = {
    submit: makeSlots(() => deps.concurrency().submit ?? DEFAULT_CONCURRENT),
    read: makeSlots(() => deps.concurrency().query ?? DEFAULT_CONCURRENT),
  };
  return (compiled) => {
    const secret: InUse["secret"] = { headers: { ok: true, headers: {} } };
    const account = makeAccount({
      spec: compiled.spec,
      adapter: compiled.adapter,
      credential: () => (secret.headers.ok ? secret.headers.headers : {}),
      slots,
      lockout,
      reading: deps.reading,
      webhookUrl: deps.webhookUrl,
      now: deps.now,
      monotonicMs: () => performance.now(),
      certificateAuthorities: deps.certificateAuthorities,
    });
    return { compiled, account, secret };
  };
}

const NOTHING_NEW: Pick<ProviderClient, "submit" | "replay"> = {
  submit: () => Promise.resolve({ outcome: "not-sent", code: "provider-not-ready" }),
  replay: () => Promise.resolve({ outcome: "not-sent", code: "provider-not-ready" }),
};

function complaintOf(
  compiled: CompiledProvider | undefined,
  credential: CredentialHeaders | undefined,
): string | undefined {
  if (compiled && !compiled.ok) {
    const [first, ...others] = compiled.problems;
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    return first ? `${first.field}: ${first.message}${more}` : "it cannot be read";
  }
  return credential && !credential.ok ? credential.message : undefined;
}
