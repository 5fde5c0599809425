// What people decided, beside what it changed. Reports and audits read it; nothing decides upon it.
import type { Decision } from "../task/decision.ts";
import type { FencedTransaction } from "./fence.ts";

const NOTE = `
insert into genop.decisions (task_key, task_uid, attempt, decision, job_id, note, decided_by, epoch)
select key, uid, $2, $3, $4, $5, $6, $7 from genop.tasks where key = $1`;

/** Writes it down in the transaction that carries it out; nothing where nobody decided. */
export async function noteDecision(
  transaction: FencedTransaction,
  key: string,
  decision: Decision | undefined,
): Promise<void> {
  if (!decision) return;
  const { attempt, by, jobId, note } = decision;
  const values = [key, attempt, decision.decision, jobId ?? null, note ?? null, by ?? null, transaction.epoch];
  await transaction.rows(NOTE, values);
}
