// C4: the bill of the simulated provider as a process, read into a real Postgres by a leader, and held against what the attempts were booked for.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { acquireEpoch } from "../../../operator/postgres/fence.ts";
import { makeUsageBooks, usageAges, usageStanding } from "../../../operator/postgres/usage-reads.ts";
import type { UsageBooks, UsageStanding } from "../../../operator/postgres/usage-reads.ts";
import { bookUsage } from "../../../operator/postgres/usage.ts";
import type { Ending } from "../../../operator/task/action.ts";
import type { AttemptId, Epoch, ProviderJobId } from "../../../operator/task/brand.ts";
import { ZERO, micro } from "../../../operator/task/credits.ts";
import type { UsageSource } from "../../../operator/providers/provider.ts";
import { usageRound } from "../../../operator/wiring/usage.ts";
import type { UsageDeps } from "../../../operator/wiring/usage.ts";
import { HTTP, acceptedAttempt } from "../../unit/providers/spec.ts";
import { openDatabase } from "../postgres/database.ts";
import { NEVER, openDesk, wish as bookWish } from "../postgres/desk.ts";
import { startSimulated, wish } from "./simulated.ts";

const SPAN = '"/usage?limit=2&from=" + urlEncode(string(usage.from)) + "&to=" + urlEncode(string(usage.to))';
const USAGE = {
  path: SPAN,
  items: "response.body.items",
  jobID: "item.job_id",
  amount: "item.amount",
  billedAt: "item.billed_at",
  ref: "item.ref",
  next: `response.body.next_cursor == null ? "" : ${SPAN} + "&cursor=" + response.body.next_cursor`,
  overlapSeconds: 3600,
};
const PRICE = 10_000n;
const PROVIDER = "simulated";

async function open() {
  const database = await openDatabase();
  const desk = await openDesk(database.pool());
  await desk.grant("studio", 1_000_000n);
  const simulated = await startSimulated({ http: { ...HTTP, usage: USAGE } });
  const told: string[] = [];
  const deps = (epoch: Epoch = desk.epoch, changes: Partial<UsageBooks> = {}): UsageDeps => ({
    books: { ...makeUsageBooks(desk.pool, () => epoch), ...changes },
    names: () => [PROVIDER],
    source: () => simulated.usage(),
    log: (level, event, fields) => told.push(`${level} ${event} ${JSON.stringify(fields)}`),
    metrics: { count: () => undefined },
  });
  const close = async (): Promise<void> => {
    await world.simulated.remove();
    await database.close();
  };
  return { database, desk, simulated, told, deps, close };
}

let world: Awaited<ReturnType<typeof open>>;
beforeEach(async () => {
  world = await open();
});
afterEach(() => world.close());

const ended = (charge: bigint, reason: Ending["reason"] = "JobFailed"): Ending => ({
  reason,
  charge: micro(charge),
  retryAfterMs: undefined,
  task: { phase: "Failed", reason: "JobFailed", message: "m" },
});

/** A job that the provider has billed. */
async function billedJob(attemptId?: AttemptId): Promise<ProviderJobId> {
  const { client, provider } = world.simulated;
  const { request } = wish({ queueMs: 0, durationMs: 600_000, bill: { when: "acceptance" } });
  const submitted = await client.submit(attemptId ? { ...request, attemptId } : request, NEVER);
  if (submitted.outcome !== "accepted") throw new Error(`expected a job, got ${submitted.outcome}`);
  await provider.admin.finish(submitted.jobId);
  return submitted.jobId;
}

/** An attempt that has ended with its job, charged so much. */
async function charged(charge: bigint): Promise<{ readonly id: AttemptId; readonly jobId: ProviderJobId }> {
  const beginning = bookWish({ provider: PROVIDER });
  const sent = await world.desk.sent(beginning);
  const jobId = await billedJob(sent.id);
  await world.desk.books.markAccepted(sent, jobId, 0);
  await world.desk.books.end(await world.desk.attempt(beginning.key, "accepted"), ended(charge), []);
  return { id: sent.id, jobId };
}

/** One that was given up, and has a job all the same. */
async function givenUp(): Promise<ProviderJobId> {
  const sent = await world.desk.sent(bookWish({ provider: PROVIDER }));
  await world.desk.books.end(sent, { ...ended(0n, "WrittenOff"), charge: ZERO }, []);
  return billedJob(sent.id);
}

async function booked(): Promise<readonly (readonly [string, string, bigint])[]> {
  const lines: [string, string, bigint][] = [];
  for (let line; (line = await bookUsage(world.desk.pool, () => world.desk.epoch, NEVER));)
    lines.push([line.jobId, line.verdict, line.difference]);
  return lines.sort();
}

async function standing(): Promise<UsageStanding> {
  const found = await usageStanding(world.desk.pool, PROVIDER, NEVER);
  if (!found) throw new Error("the export was never to be read");
  return found;
}

async function makeDue(): Promise<void> {
  await world.database.asSuperuser((client) =>
    client.query("update genop.usage_reads set next_at = clock_timestamp()"),
  );
}

async function requests(): Promise<number> {
  return (await world.simulated.provider.admin.record({ operation: "usage" })).requests.length;
}

test("a bill is read page by page, each of its lines is booked for what it is, and the next reading books nothing again", async () => {
  const matched = await charged(PRICE);
  const dearer = await charged(PRICE - 1000n);
  const second = await billedJob(matched.id);
  const late = await givenUp();
  const stranger = await billedJob();
  await usageRound(world.deps(), NEVER);
  expect(await requests()).toBe(3);
  const verdicts = [
    [matched.jobId, "matched", 0n],
    [dearer.jobId, "price", 1000n],
    [second, "duplicate", PRICE],
    [late, "late", PRICE],
    [stranger, "stranger", PRICE],
  ];
  expect(await booked()).toEqual(verdicts.sort());
  expect(world.told).toEqual([`info usage.read {"provider":"${PROVIDER}","lines":5,"taken":5}`]);

  await usageRound(world.deps(), NEVER); // it is not due
  expect(await requests()).toBe(3);
  await makeDue();
  await usageRound(world.deps(), NEVER);
  expect([await requests(), await booked(), await world.desk.problems()]).toEqual([6, [], []]);
  expect(world.told.at(-1)).toBe(`debug usage.read {"provider":"${PROVIDER}","lines":5,"taken":0}`);
});

test("what is billed from one reading to the next comes with the next, with what was billed late of the time before", async () => {
  const first = await charged(PRICE);
  await usageRound(world.deps(), NEVER);
  const { through } = await standing();
  const other = await charged(PRICE);
  await makeDue();
  await usageRound(world.deps(), NEVER);
  expect((await standing()).through.getTime()).toBeGreaterThan(through.getTime());
  expect(await booked()).toEqual([first.jobId, other.jobId].sort().map((jobId) => [jobId, "matched", 0n]));
});

test("a provider that is down, or lets nobody read its bill, is asked again later and told of; what it billed meanwhile is not lost", async () => {
  const { jobId } = await charged(PRICE);
  await world.simulated.provider.kill("SIGKILL");
  await usageRound(world.deps(), NEVER);
  expect(await standing()).toMatchObject({ failures: 1, code: "connect-refused", isDue: false, wasRead: false });
  expect(world.told).toEqual([`warn usage.unread {"provider":"${PROVIDER}","code":"connect-refused"}`]);
  expect((await usageAges(world.desk.pool, [PROVIDER], NEVER))[0]?.seconds).toBeGreaterThan(0);

  world.simulated = await world.simulated.restart();
  await makeDue();
  await usageRound({ ...world.deps(), source: () => world.simulated.usage("stranger") }, NEVER);
  expect(await standing()).toMatchObject({ failures: 2, code: "status-401" });
  expect(await world.simulated.stranger.query(acceptedAttempt(jobId), NEVER)).toMatchObject({ code: "status-401" });

  await makeDue();
  await usageRound({ ...world.deps(), source: () => world.simulated.usage() }, NEVER);
  expect(await standing()).toMatchObject({ failures: 0, code: undefined, wasRead: true });
  expect(await booked()).toEqual([[jobId, "matched", 0n]]);
});

test("I8: a leader that dies after some lines leaves the rest to the next one, and writes nothing any more", async () => {
  const jobs = [await charged(PRICE), await charged(PRICE), await charged(PRICE)].map(({ jobId }) => jobId);
  const died = new Error("died");
  const dying = world.deps(world.desk.epoch, { noteRead: () => Promise.reject(died) });
  await usageRound(dying, NEVER);
  expect(world.told).toEqual([expect.stringContaining("usage.failed")]);
  const before = await standing();
  expect(before).toMatchObject({ isDue: true, wasRead: false });

  const next = await acquireEpoch(world.desk.pool, "successor");
  await usageRound(world.deps(), NEVER); // the old one, once more
  expect(await standing()).toMatchObject({ through: before.through, isDue: true });
  await usageRound(world.deps(next), NEVER);
  expect(await standing()).toMatchObject({ isDue: false, wasRead: true });
  const verdicts = [];
  for (let line; (line = await bookUsage(world.desk.pool, () => next, NEVER));)
    verdicts.push([line.jobId, line.verdict]);
  expect(verdicts.sort()).toEqual(jobs.map((jobId) => [jobId, "matched"]).sort());
});

test("I8: a leader killed between two batches of one span leaves its lines to the next one, which takes the others and none twice", async () => {
  const first = Date.now() - 60_000;
  const lines = Array.from({ length: 2500 }, (_, index) => ({
    ...{ jobId: `job-${index}` as ProviderJobId, ref: undefined },
    ...{ amount: PRICE, billedAt: new Date(first + index) },
  }));
  const source = (): UsageSource => ({
    ...{ everySeconds: 3600, overlapSeconds: 3600 },
    read: ({ from, to }) =>
      Promise.resolve({
        outcome: "lines",
        lines: lines.filter(({ billedAt }) => billedAt >= from && billedAt < to),
      }),
  });
  const taken = async (): Promise<number> => {
    const count = "select count(*)::integer as lines from genop.usage_lines";
    return (await world.desk.pool.query<{ lines: number }>(count)).rows[0]?.lines ?? 0;
  };
  const books = makeUsageBooks(world.desk.pool, () => world.desk.epoch);
  let batches = 0;
  const dying = world.deps(world.desk.epoch, {
    take: (...batch) => ((batches += 1) === 1 ? books.take(...batch) : Promise.reject(new Error("killed"))),
  });
  await usageRound({ ...dying, source }, NEVER);
  expect([batches, await taken(), await standing()]).toMatchObject([2, 1000, { isDue: true, wasRead: false }]);
  const before = await standing();

  const next = await acquireEpoch(world.desk.pool, "successor");
  await usageRound({ ...world.deps(), source }, NEVER); // the old one, thawed
  expect([await taken(), await standing()]).toMatchObject([1000, { through: before.through, isDue: true }]);
  await usageRound({ ...world.deps(next), source }, NEVER);
  expect([await taken(), await standing()]).toMatchObject([2500, { isDue: false, wasRead: true }]);
  expect(world.told.at(-1)).toBe(`info usage.read {"provider":"${PROVIDER}","lines":2500,"taken":1500}`);
});
