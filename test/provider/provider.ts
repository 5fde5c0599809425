// What all parts of the running provider share. Made in main.ts.
import type { Clerk } from "./jobs/clerk.ts";
import type { Contents } from "./outputs/contents.ts";
import type { ProviderRecord } from "./record/record.ts";
import type { WebhookSender } from "./webhooks/send.ts";

export interface Provider {
  readonly record: ProviderRecord;
  readonly contents: Contents;
  readonly clerk: Clerk;
  readonly webhooks: WebhookSender;
  readonly token: string;
  /** Where redirects to another port lead; known once it listens. */
  readonly mirrorPort: () => number;
  /** Ends every wait when the provider stops. */
  readonly signal: AbortSignal;
}
