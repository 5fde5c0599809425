// One provider account in use: its connections and its calls, with the credential of the moment.
import { makeGuardedDispatcher } from "../outbound/dispatcher.ts";
import type { ConnectPolicy } from "../outbound/socket.ts";
import type { ProviderClient } from "../reconcile/ports.ts";
import type { AccountDeps } from "./account-deps.ts";
import { makeReadCalls } from "./read-calls.ts";
import { makeSubmitCalls } from "./submit-calls.ts";
import { makeUsageCall, type ReadUsage } from "./usage-calls.ts";
import { keySetOf } from "./webhook/fetch-keys.ts";
import type { KeySet } from "./webhook/key-set.ts";

export interface Account {
  readonly client: ProviderClient;
  readonly usage: ReadUsage;
  /** Of its webhooks, where they are fetched. */
  readonly keys: KeySet | undefined;
  /** Lets calls under way come to their end. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 64;

/** Connects at the first call. */
export function makeAccount(deps: AccountDeps): Account {
  const policy = policyOf(deps);
  const dispatcher = makeGuardedDispatcher({ ...policy, maxConnections: MAX_CONNECTIONS });
  const keys = keySetOf(deps, dispatcher);
  return {
    client: { ...makeSubmitCalls(deps, policy), ...makeReadCalls(deps, dispatcher) },
    usage: makeUsageCall(deps, dispatcher),
    keys,
    close: () => {
      keys?.close();
      return dispatcher.close();
    },
  };
}

function policyOf({ spec, certificateAuthorities }: AccountDeps): ConnectPolicy {
  const connectMs = spec.timeouts.connectSeconds * 1000;
  return {
    allowPrivateAddresses: spec.network.allowPrivateAddresses,
    connectMs,
    tlsMs: connectMs,
    certificateAuthorities,
  };
}
