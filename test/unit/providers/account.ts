// An account of a provider that listens where a test says.
import { makeAccount, type Account } from "../../../operator/providers/account.ts";
import { compileProvider } from "../../../operator/providers/compile.ts";
import { makeLockout, type Lockout } from "../../../operator/providers/lockout.ts";
import { makeReading } from "../../../operator/providers/reading.ts";
import { makeSlots, type Slots } from "../../../operator/outbound/slots.ts";
import type { ProviderSpec } from "../../../operator/task/provider-resource.ts";
import { SPEC } from "./spec.ts";

export interface AccountOptions {
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Shorter than a spec may say. */
  readonly submitMs?: number;
  readonly monotonicMs?: () => number;
  readonly submitSlots?: Slots;
  readonly certificateAuthorities?: string;
}

export const NOW = new Date("2026-11-30T12:00:00Z");

export function accountAt(
  url: string,
  options: AccountOptions = {},
): { readonly account: Account; readonly lockout: Lockout } {
  const compiled = compileProvider({ ...SPEC, ...options.spec, baseURL: `${url}/v1` }, "acme");
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const { spec, adapter } = compiled;
  const submitSeconds = options.submitMs === undefined ? spec.timeouts.submitSeconds : options.submitMs / 1000;
  const hurried: ProviderSpec = { ...spec, timeouts: { ...spec.timeouts, submitSeconds } };
  const lockout = makeLockout(() => NOW);
  const account = makeAccount({
    spec: hurried,
    adapter,
    credential: () => ({ authorization: "Bearer secret" }),
    slots: { submit: options.submitSlots ?? makeSlots(() => 4), read: makeSlots(() => 4) },
    lockout,
    reading: makeReading(),
    webhookUrl: (id) => `https://hooks.example/${id}`,
    now: () => NOW,
    monotonicMs: options.monotonicMs ?? (() => performance.now()),
    certificateAuthorities: options.certificateAuthorities,
  });
  return { account, lockout };
}
