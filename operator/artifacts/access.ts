// What a download needs to know of its provider, and the connections that follow from it.
import { makeOutbound } from "../outbound/outbound.ts";
import type { Credential, Outbound } from "../outbound/outbound.ts";
import type { UrlRules } from "../outbound/url.ts";

export interface OutputAccess {
  readonly allowPrivateAddresses: boolean;
  readonly connectMs: number;
  /** The hosts of spec.outputs and the API's own. */
  readonly rules: UrlRules;
  /** Only with `outputs.auth: SameOrigin`; goes to its own origin alone. */
  readonly credential: Credential | undefined;
}

export interface Outbounds {
  for(access: OutputAccess): Outbound;
  close(): Promise<void>;
}

/** One pool of connections per network policy, so that a guarded and an unguarded one never mix. */
export function makeOutbounds(maxConnections: number): Outbounds {
  const pools = new Map<string, Outbound>();
  return {
    for({ allowPrivateAddresses, connectMs }) {
      const policy = `${allowPrivateAddresses}/${connectMs}`;
      const pool =
        pools.get(policy) ?? makeOutbound({ allowPrivateAddresses, connectMs, tlsMs: connectMs, maxConnections });
      pools.set(policy, pool);
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
