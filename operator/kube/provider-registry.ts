// What the providers controller needs of whoever talks to providers. Implemented in operator/providers, joined in wiring.
import type { ProviderSpec } from "../task/provider-resource.ts";

/** A provider as it stands in the cluster. */
export type ProviderInput =
  | {
      readonly state: "usable";
      readonly spec: ProviderSpec;
      /** The bare secret, without spec.credentials.prefix; undefined when the spec asks for none. */
      readonly credential: string | undefined;
      /** The key that verifies its webhooks; undefined when there is none, or it can't be read: then none of them counts. */
      readonly webhookSecret?: string | undefined;
    }
  /**
   * It exists and can't be used: nothing new may be started with it, and what has begun keeps the settings it knows:
   * those of `spec`, or the last good ones when the spec itself can't be read.
   */
  | { readonly state: "unusable"; readonly spec: ProviderSpec | undefined; readonly message: string };

/** No method waits or throws. */
export interface ProviderRegistry {
  /**
   * Takes the provider over, in place of what was known of it. Called again only when spec or credential changed.
   * Answers what of it can't be used, a sentence each that names the field (an expression that does not compile, with its
   * position); nothing means that it is in use from now on.
   */
  put(name: string, provider: ProviderInput): readonly string[];
  remove(name: string): void;
  /** The stable code with which the provider refuses us (credential, balance), while it does. */
  lockedOut(name: string): string | undefined;
}
