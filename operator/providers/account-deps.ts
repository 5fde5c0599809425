// What the calls of one provider account need.
import type { Slots } from "../outbound/slots.ts";
import type { ProviderSpec } from "../task/provider-resource.ts";
import type { Adapter } from "./adapter.ts";
import type { Lockout } from "./lockout.ts";
import type { Reading } from "./reading.ts";
import type { WebhookUrl } from "./request.ts";

export interface AccountDeps {
  readonly spec: ProviderSpec;
  readonly adapter: Adapter;
  /** The headers that show the credential: read at each call, so that a rotation counts at once. */
  readonly credential: () => Readonly<Record<string, string>>;
  readonly slots: { readonly submit: Slots; readonly read: Slots };
  readonly lockout: Lockout;
  readonly reading: Reading;
  readonly webhookUrl: WebhookUrl;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  readonly certificateAuthorities: string | undefined;
}
