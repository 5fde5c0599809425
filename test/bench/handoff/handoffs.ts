// The three ways in which a leader goes, each with the work under way: told to stop, killed, and frozen beyond its lease.
import { countOf, gapBetween, spacingsOf } from "./acts.ts";
import type { Replica, Replicas } from "./replicas.ts";
import type { Work } from "./work.ts";

export interface Scene {
  readonly work: Work;
  readonly replicas: Replicas;
}

export interface Handoff {
  readonly gapMs: number;
  /** Between the acts of the leader that went, before it went. */
  readonly spacingsMs: readonly number[];
}

/** A leader that has worked this much is in full swing, and its standby has had the time to be one. */
const SETTLED_ACTS = 60;
const FOLLOWED_ACTS = 20;

/** SIGTERM: it must end in good order. */
export async function stopLeader(scene: Scene): Promise<Handoff> {
  return replaceLeader(scene, "SIGTERM", 0);
}

export async function killLeader(scene: Scene): Promise<Handoff> {
  return replaceLeader(scene, "SIGKILL", "SIGKILL");
}

async function replaceLeader(
  { replicas, work }: Scene,
  signal: "SIGTERM" | "SIGKILL",
  expected: number | NodeJS.Signals,
): Promise<Handoff> {
  const leader = await replicas.leader();
  const old = await work.actsAfter(0, SETTLED_ACTS);
  leader.process.kill(signal);
  const next = await work.actsAfter(old, FOLLOWED_ACTS);
  const how = await leader.process.ended;
  if (how !== expected) throw new Error(`cannot go on: the leader ended with ${how}, not ${expected}`);
  await replicas.forget(leader);
  const acts = await work.acts();
  await replicas.add();
  return { gapMs: gapBetween(acts, old, next), spacingsMs: spacingsOf(acts, old) };
}

export interface Thaw {
  /** Rows of its term that came after it was thawed. */
  readonly rows: number;
  /** Calls to the API server that would change an object, after it was thawed. */
  readonly apiWrites: number;
  /** Renewals that its timer sent. */
  readonly leaseTries: number;
  /** Events of what it had done before it was frozen: they change nothing. */
  readonly lateEvents: number;
  /** Submits that no mark of the books stands for, of anybody. */
  readonly unmarkedSubmits: number;
  readonly exitCode: number | NodeJS.Signals;
}

/** SIGSTOP until a successor works, and SIGCONT: whatever it does then must count for nothing. */
export async function freezeLeader({ replicas, work }: Scene): Promise<Thaw> {
  const leader = await replicas.leader();
  const old = await work.actsAfter(0, SETTLED_ACTS);
  leader.process.kill("SIGSTOP");
  await work.actsAfter(old, FOLLOWED_ACTS);
  const rowsBefore = countOf(await work.acts(), old);
  const before = writesOf(leader);
  leader.process.kill("SIGCONT");
  const exitCode = await leader.process.ended;
  const result = {
    exitCode,
    rows: countOf(await work.acts(), old) - rowsBefore,
    ...difference(writesOf(leader), before),
    unmarkedSubmits: await work.unmarkedSubmits(),
  };
  await replicas.forget(leader);
  await replicas.add({ isListenedTo: true });
  return result;
}

type Writes = Pick<Thaw, "apiWrites" | "leaseTries" | "lateEvents">;

function writesOf({ proxy }: Replica): Writes {
  if (!proxy) throw new Error("cannot count: nobody listens to this replica");
  const paths = proxy.asked.filter(({ method }) => method !== "GET").map(({ path }) => path);
  const leaseTries = paths.filter((path) => path.includes("/leases/")).length;
  const lateEvents = paths.filter((path) => path.includes("/events")).length;
  return { apiWrites: paths.length - leaseTries - lateEvents, leaseTries, lateEvents };
}

function difference(after: Writes, before: Writes): Writes {
  return {
    apiWrites: after.apiWrites - before.apiWrites,
    leaseTries: after.leaseTries - before.leaseTries,
    lateEvents: after.lateEvents - before.lateEvents,
  };
}
