// What the tables refuse, whoever asks: the invariants of attempts and tasks, tried past the books by hand-written statements.
import { describe, expect, test } from "@jest/globals";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { TaskEnd } from "../../../operator/task/facts.ts";
import { NEVER, NOT_CREATED, UNLIMITED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

const FAILED: TaskEnd = { phase: "Failed", reason: "JobFailed", message: "the provider reports that the job failed" };
const CANCELLED: TaskEnd = { phase: "Cancelled", reason: "CancelledByUser", message: "cancelled as asked" };

let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ desk } = opened));

/** The SQLSTATE and constraint with which the server refuses a statement of the application. */
async function refusalOf(text: string, values: readonly unknown[]): Promise<string> {
  try {
    await desk.pool.query(text, [...values]);
  } catch (error) {
    const { code, constraint, table } = error as { code: string; constraint?: string; table?: string };
    return `${code} ${constraint ?? table ?? ""}`;
  }
  return "accepted";
}

describe("I1 mark before wire", () => {
  test.each(["accepted", "ready"])("I1: an attempt that was never marked sent can't be %s", async (state) => {
    const { id } = await desk.begun();
    const set = `update genop.attempts set state = $2, job_id = 'j', accepted_at = now(), next_poll_at = now() where id = $1`;
    expect(await refusalOf(set, [id, state])).toBe("GN002 attempts");
  });

  test("I1: sent without a deadline is refused", async () => {
    const { id } = await desk.begun();
    const set = "update genop.attempts set state = 'sent', sent_at = now() where id = $1";
    expect(await refusalOf(set, [id])).toBe("23514 attempts_sent");
  });

  test("I1: a charge for an attempt that was never sent is refused", async () => {
    const { id } = await desk.begun();
    const set =
      "update genop.attempts set state = 'ended', ended_at = now(), reason = 'Cancelled', charge = 5 where id = $1";
    expect(await refusalOf(set, [id])).toBe("23514 attempts_ended");
  });

  test("I1: a submit is logged once per attempt, whatever is tried", async () => {
    const { id } = await desk.sent();
    const log = "insert into genop.calls (attempt_id, operation, epoch) values ($1, 'submit', 1)";
    expect(await refusalOf(log, [id])).toBe("23505 calls_one_submit");
  });

  test("I1: of sixteen markSent of one attempt at once, one is answered with sent", async () => {
    const intended = await desk.begun();
    const tries = Array.from({ length: 16 }, () => desk.books.markSent(intended, UNLIMITED, 1000, NEVER));
    const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(["sent", ...Array.from({ length: 15 }, () => "stale")].sort());
  });
});

describe("I2 one live attempt", () => {
  test("I2: of sixteen begins of one wish at once, one makes an attempt and one hold", async () => {
    const beginning = wish();
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => desk.books.begin(beginning, NEVER)));
    expect(outcomes.filter(({ outcome }) => outcome === "begun")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "stale")).toHaveLength(15);
    const { attempt, credits } = await desk.books.load(beginning.key, NEVER);
    expect(attempt).toMatchObject({ number: 1, state: "intended" });
    expect(credits.reserved).toBe(100n);
  });

  test("I3: a new attempt's number is above that of every decision", async () => {
    const beginning = wish({ decidedNumber: 3 });
    const intended = await desk.begun(beginning);
    expect(intended.number).toBe(4);
    await desk.books.end(intended, NOT_CREATED, []);
    expect(await desk.begun(beginning)).toMatchObject({ number: 5 });
  });

  test("I2: the same for the next attempt of a wish that has had one", async () => {
    const beginning = wish();
    await desk.books.end(await desk.begun(beginning), NOT_CREATED, []);
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => desk.books.begin(beginning, NEVER)));
    expect(outcomes.filter(({ outcome }) => outcome === "begun")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "stale")).toHaveLength(15);
    expect(await desk.attempt(beginning.key, "intended")).toMatchObject({ number: 2 });
  });

  test("I2: a second live attempt is refused by the table itself", async () => {
    const beginning = wish();
    await desk.begun(beginning);
    const insert = `insert into genop.attempts (id, task_key, number, namespace, provider, model, priority)
                    values (gen_random_uuid(), $1, $2, 'studio', 'acme', 'video', 0)`;
    expect(await refusalOf(insert, [beginning.key, 2])).toBe("23505 attempts_one_live");
    expect(await refusalOf(insert, [beginning.key, 1])).toBe("23505 attempts_number");
  });

  test("I2: one job of a provider stands for one attempt", async () => {
    await desk.accepted(wish(), "twice");
    const { id } = await desk.accepted();
    const set = "update genop.attempts set job_id = 'twice' where id = $1";
    expect(await refusalOf(set, [id])).toBe("GN002 attempts");
    const other = await desk.sent();
    const bind = `update genop.attempts set state = 'accepted', job_id = 'twice', accepted_at = now(), next_poll_at = now()
                   where id = $1`;
    expect(await refusalOf(bind, [other.id])).toBe("23505 attempts_job");
  });
});

describe("I4 sticky ends", () => {
  test("I4: an attempt that has ended takes no mark, and no statement changes it", async () => {
    const intended = await desk.begun();
    await desk.books.end(intended, NOT_CREATED, []);
    expect(await desk.books.end(intended, { ...NOT_CREATED, reason: "Cancelled" }, [])).toEqual({ outcome: "stale" });
    expect(await desk.books.end(intended, NOT_CREATED, [])).toMatchObject({ outcome: "done" });
    const set =
      "update genop.attempts set state = 'intended', ended_at = null, reason = null, charge = null where id = $1";
    expect(await refusalOf(set, [intended.id])).toBe("GN002 attempts");
  });

  test("I4: an ended task can't end otherwise, begin again, or be parked", async () => {
    const beginning = wish();
    await desk.books.end(
      await desk.accepted(beginning),
      { reason: "JobFailed", charge: ZERO, retryAfterMs: undefined, task: FAILED },
      [],
    );
    const { books } = desk;
    expect(await books.endTask(beginning, CANCELLED)).toEqual({ outcome: "stale" });
    expect(await books.endTask(beginning, FAILED)).toMatchObject({ outcome: "done" });
    expect(await books.begin(beginning, NEVER)).toEqual({ outcome: "stale" });
    expect(await books.park(beginning, { reason: "JobStalled", message: "look" })).toEqual({ outcome: "stale" });
    expect((await books.load(beginning.key, NEVER)).record?.ended).toMatchObject(FAILED);
  });

  test("I4: no statement changes how a task ended, or gives it another attempt", async () => {
    const beginning = wish();
    await desk.books.endTask(beginning, CANCELLED);
    const set = "update genop.tasks set ended_phase = 'Succeeded' where key = $1";
    expect(await refusalOf(set, [beginning.key])).toBe("GN002 tasks");
    const insert = `insert into genop.attempts (id, task_key, number, namespace, provider, model, priority)
                    values (gen_random_uuid(), $1, 1, 'studio', 'acme', 'video', 0)`;
    expect(await refusalOf(insert, [beginning.key])).toBe("GN002 attempts");
  });

  test("I4: a task with a live attempt can't end by itself", async () => {
    const beginning = wish();
    await desk.begun(beginning);
    expect(await desk.books.endTask(beginning, CANCELLED)).toEqual({ outcome: "stale" });
    const set = `update genop.tasks set ended_at = now(), ended_phase = 'Failed', ended_reason = 'JobFailed', ended_message = ''
                  where key = $1`;
    expect(await refusalOf(set, [beginning.key])).toBe("GN002 tasks");
  });

  test.each([
    { reason: "Succeeded", why: "its outputs were never ready" },
    { reason: "NotCreated", why: "its job is known" },
    { reason: "Refused", why: "its job is known" },
  ] as const)("I4: an accepted attempt can't end as $reason: $why", async ({ reason }) => {
    const accepted: AttemptIn<"accepted"> = await desk.accepted();
    await expect(desk.books.end(accepted, { ...NOT_CREATED, reason }, [])).rejects.toMatchObject({
      code: "REFUSED",
      constraint: "attempts_reason",
    });
    expect(await desk.problems()).toEqual([]);
  });
});

describe("parking and adopting", () => {
  test("parking registers a task that is unknown, keeps its first moment, and is undone once", async () => {
    const beginning = wish();
    const parked = { reason: "RecordMissing", message: "look" } as const;
    await desk.books.park(beginning, parked);
    const first = (await desk.books.load(beginning.key, NEVER)).record?.parked;
    await desk.books.park(beginning, parked);
    expect((await desk.books.load(beginning.key, NEVER)).record?.parked).toEqual(first);
    expect(await desk.books.unpark(beginning.key)).toMatchObject({ outcome: "done" });
    expect(await desk.books.unpark(beginning.key)).toEqual({ outcome: "stale" });
  });

  test("parking leaves the attempt as it is, and ending the task ends the parking", async () => {
    const beginning = wish();
    const sent = await desk.sent(beginning);
    await desk.books.park(beginning, { reason: "SubmitUnresolved", message: "find out" });
    expect(await desk.attempt(beginning.key, "sent")).toEqual(sent);
    await desk.books.end(sent, { ...NOT_CREATED, reason: "WrittenOff", task: FAILED }, []);
    const { record } = await desk.books.load(beginning.key, NEVER);
    expect(record).toMatchObject({ parked: undefined, ended: FAILED });
  });

  test("a record passes to another object of the same wish, and of no other", async () => {
    const beginning = wish();
    await desk.begun(beginning);
    const restored = { ...beginning, uid: "restored", name: "restored" };
    expect(await desk.books.adopt({ ...restored, specHash: "other" })).toEqual({ outcome: "stale" });
    expect(await desk.books.adopt(restored)).toMatchObject({ outcome: "done" });
    expect((await desk.books.load(beginning.key, NEVER)).record).toMatchObject({ uid: "restored", name: "restored" });
    expect(await desk.books.park(beginning, { reason: "JobStalled", message: "" })).toEqual({ outcome: "stale" });
  });
});
