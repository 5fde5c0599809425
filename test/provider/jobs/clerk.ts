// Wakes when something falls due, so that events and webhooks come in time. Truth does not depend on it: whoever reads the record settles first.
import type { ProviderRecord } from "../record/record.ts";
import type { WebhookSender } from "../webhooks/send.ts";
import { settleDue } from "./settle.ts";

const LONGEST_NAP_MS = 60_000;
/** While a webhook is under way it stays due; this keeps the clerk from spinning on it. */
const SHORTEST_NAP_MS = 20;

export interface Clerk {
  /** Settles what is due now and looks again when the next thing will be. Call after every change. */
  poke(): void;
  stop(): void;
}

export function makeClerk(record: ProviderRecord, sender: WebhookSender): Clerk {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const arm = (): void => {
    if (stopped) return;
    const dueMs = Math.min(record.jobs.nextDueMs() ?? Infinity, record.webhooks.nextDueMs() ?? Infinity);
    const napMs = Math.min(LONGEST_NAP_MS, Math.max(SHORTEST_NAP_MS, dueMs - Date.now()));
    clearTimeout(timer);
    timer = setTimeout(work, napMs);
  };
  const work = (): void => {
    const nowMs = Date.now();
    settleDue(record, nowMs);
    void sender.sendDue(nowMs).then(arm);
    arm();
  };

  return {
    poke: work,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
