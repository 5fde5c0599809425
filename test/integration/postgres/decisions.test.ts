// What people decided, over real Postgres: kept with what it changed, or not at all.
import { expect, test } from "@jest/globals";
import { makeBooks } from "../../../operator/postgres/books.ts";
import { EVIDENCE_LIMITS, readTaskEvidence } from "../../../operator/postgres/evidence.ts";
import type { Epoch, ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";
import type { Decision } from "../../../operator/task/decision.ts";
import { NEVER, NOT_CREATED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

let desk: Desk;
ownDesk({ studio: 1000n }, (opened) => ({ desk } = opened));

const GIVEN_UP = { phase: "Failed", reason: "WrittenOff", message: "m" } as const;
const WRITE_OFF: Decision = { attempt: 1, decision: "WriteOff", jobId: undefined, note: "nobody knows", by: "kim" };
const BIND: Decision = { ...WRITE_OFF, decision: "BindJob", jobId: "job-of-kim" };
const NONE: Decision = { ...WRITE_OFF, decision: "NotCreated", note: undefined, by: undefined };

/** As the books tell it, oldest first. */
async function decided(key: TaskKey): Promise<readonly unknown[]> {
  const { rows } = await desk.pool.query<object>(
    `select task_uid, attempt, decision, job_id, note, decided_by, epoch from genop.decisions where task_key = $1 order by id`,
    [key],
  );
  return rows;
}

const row = ({ attempt, by, decision, jobId, note }: Decision, uid: string): object => ({
  ...{ task_uid: uid, attempt, decision, job_id: jobId ?? null, note: note ?? null, decided_by: by ?? null },
  epoch: desk.epoch,
});

test("an attempt that a person writes off says so once, however often it is said", async () => {
  const beginning = wish();
  const sent = await desk.sent(beginning);
  const ending = { ...NOT_CREATED, reason: "WrittenOff", task: GIVEN_UP, decision: WRITE_OFF } as const;
  expect(await desk.books.end(sent, ending, [])).toMatchObject({ outcome: "done" });
  expect(await desk.books.end(sent, ending, [])).toMatchObject({ outcome: "done" });
  expect(await decided(beginning.key)).toEqual([row(WRITE_OFF, beginning.uid)]);
});

test("a task without a live attempt that a person writes off says so once", async () => {
  const beginning = wish();
  await desk.books.park(beginning, { reason: "RecordMissing", message: "m" });
  const decision = { ...WRITE_OFF, attempt: 0 };
  expect(await desk.books.endTask(beginning, GIVEN_UP, decision)).toMatchObject({ outcome: "done" });
  expect(await desk.books.endTask(beginning, GIVEN_UP, decision)).toMatchObject({ outcome: "done" });
  expect(await decided(beginning.key)).toEqual([row(decision, beginning.uid)]);
});

test("a task that goes on anew by a person's word says so, and what ended by itself has no author", async () => {
  const beginning = wish();
  await desk.books.park(beginning, { reason: "RecordMissing", message: "m" });
  expect(await desk.books.unpark(beginning.key, NONE)).toMatchObject({ outcome: "done" });
  await desk.books.end(await desk.sent(beginning), NOT_CREATED, []);
  expect(await decided(beginning.key)).toEqual([row(NONE, beginning.uid)]);
});

test("a job that a person named is theirs once the books have it, and not while it is another attempt's", async () => {
  await desk.accepted(wish(), "job-of-another");
  const beginning = wish();
  const sent = await desk.sent(beginning);
  expect(await desk.books.markAccepted(sent, "job-of-another" as ProviderJobId, 0, BIND)).toEqual({ outcome: "taken" });
  expect(await decided(beginning.key)).toEqual([]);
  expect(await desk.books.markAccepted(sent, "job-of-kim" as ProviderJobId, 0, BIND)).toMatchObject({
    outcome: "done",
  });
  expect(await decided(beginning.key)).toEqual([row(BIND, beginning.uid)]);
});

test("a leader whose term is over decides nothing for anybody", async () => {
  const beginning = wish();
  const sent = await desk.sent(beginning);
  const deposed = makeBooks(desk.pool, () => (desk.epoch - 1n) as Epoch);
  const ending = { ...NOT_CREATED, reason: "WrittenOff", task: GIVEN_UP, decision: WRITE_OFF } as const;
  expect(await deposed.end(sent, ending, [])).toEqual({ outcome: "stale" });
  expect(await decided(beginning.key)).toEqual([]);
});

test("people are told the newest decisions, however many there were", async () => {
  const beginning = wish();
  await desk.books.park(beginning, { reason: "RecordMissing", message: "m" });
  const { decisions: limit } = EVIDENCE_LIMITS;
  await desk.pool.query(
    `insert into genop.decisions (task_key, task_uid, attempt, decision, epoch)
     select $1, $2, number, 'NotCreated', $3 from generate_series(1, $4::integer) number`,
    [beginning.key, beginning.uid, desk.epoch, limit + 5],
  );
  const evidence = await readTaskEvidence(desk.pool, beginning, NEVER);
  const told = (evidence?.decisions ?? []) as readonly { readonly attempt: number }[];
  expect(told.map(({ attempt }) => attempt)).toEqual(Array.from({ length: limit }, (_, index) => index + 6));
});
