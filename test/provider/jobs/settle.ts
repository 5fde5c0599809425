// Writes down the endings that are due: final state, bill, webhook, in one transaction. It records the time at which each fell due, not the time
// of writing, so the record reads the same whether this ran at once or after a restart.
import type { ProviderRecord } from "../record/record.ts";
import { planAtEnd } from "../webhooks/plan.ts";
import { billAtEnd } from "./billing.ts";
import { endingOf } from "./state.ts";

/** Settles all jobs that are over by `nowMs`. Called before the record is read or a job is shown, and by the clerk. */
export function settleDue(record: ProviderRecord, nowMs: number): void {
  for (;;) {
    const due = record.jobs.dueBy(nowMs);
    if (due.length === 0) return;

    record.atomically(() => {
      for (const job of due) {
        const ending = endingOf(job);
        if (!ending) continue;
        record.jobs.setFinal(job.id, ending.state, ending.atMs);
        record.events.append("job.finished", { jobId: job.id, reference: job.reference, state: ending.state });
        billAtEnd(record, job, ending.state, ending.atMs);
        planAtEnd(record, job, ending);
      }
    });
  }
}
