// Sends the planned webhooks, to loopback addresses only, and records how each try went. A try that is not answered with 2xx is followed by another.
import type { Delivery } from "../record/webhooks.ts";
import type { ProviderRecord } from "../record/record.ts";
import { signatureOf } from "./sign.ts";

const ANSWER_MS = 10_000;
const RETRY_AFTER_MS = [1_000, 3_000];
const FORGER_SECRET = `whsec_${Buffer.from("not-the-secret-of-this-provider!").toString("base64")}`;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export interface WebhookSender {
  /** Sends all that is due by `nowMs` and was not begun yet, in order per call; resolves when each has been tried once. */
  sendDue(nowMs: number): Promise<void>;
}

export function makeWebhookSender(record: ProviderRecord, signal: AbortSignal): WebhookSender {
  const begun = new Set<number>();

  const send = async (delivery: Delivery): Promise<void> => {
    begun.add(delivery.id);
    const status = await post(record.settings.config().webhookSecret, delivery, signal);
    begun.delete(delivery.id);
    if (signal.aborted) return;
    record.atomically(() => {
      recordTry(record, delivery, status);
    });
  };

  return {
    sendDue: async (nowMs) => {
      const due = record.webhooks.dueBy(nowMs).filter(({ id }) => !begun.has(id));
      await Promise.all(due.map(send));
    },
  };
}

async function post(secret: string, delivery: Delivery, signal: AbortSignal): Promise<number | null> {
  if (!LOOPBACK.test(new URL(delivery.url).hostname)) return null;

  const timestamp = Math.floor(Date.now() / 1_000);
  const message = { id: delivery.messageId, timestamp, body: delivery.payload };
  const headers = {
    "content-type": "application/json",
    "webhook-id": delivery.messageId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf(delivery.signed === "true" ? secret : FORGER_SECRET, message),
  };
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const init = { method: "POST", headers, body: delivery.payload, redirect: "manual", signal: limit } as const;
    const answer = await fetch(delivery.url, init);
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null; // nobody there, or no answer in time: the same for a sender of webhooks
  }
}

function recordTry(record: ProviderRecord, delivery: Delivery, status: number | null): void {
  record.webhooks.tried(delivery.id, status);
  const { jobId, type, fault, attempt } = delivery;
  record.events.append("webhook.sent", { jobId, webhookType: type, status, fault, attempt });

  const delivered = status !== null && status >= 200 && status < 300;
  const afterMs = RETRY_AFTER_MS[attempt - 1];
  if (delivered || afterMs === undefined) return;
  record.webhooks.plan({ ...delivery, dueMs: Date.now() + afterMs, attempt: attempt + 1 });
}
