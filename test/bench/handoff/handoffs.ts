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
  /** Rows of its term that came after its successor began. */
  readonly rows: number;
  /** Calls to the API server that would change something, after it was thawed: its tries for the lease apart. */
  readonly apiWrites: number;
  /** Renewals that its timer sent: they carry the version of its own lease, so that the server refuses them. */
  readonly leaseTries: number;
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
  const [writesBefore, triesBefore] = [writesOf(leader, "others"), writesOf(leader, "leases")];
  leader.process.kill("SIGCONT");
  const exitCode = await leader.process.ended;
  const result = {
    exitCode,
    rows: countOf(await work.acts(), old) - rowsBefore,
    apiWrites: writesOf(leader, "others") - writesBefore,
    leaseTries: writesOf(leader, "leases") - triesBefore,
    unmarkedSubmits: await work.unmarkedSubmits(),
  };
  await replicas.forget(leader);
  await replicas.add({ isListenedTo: true });
  return result;
}

function writesOf({ proxy }: Replica, to: "leases" | "others"): number {
  if (!proxy) throw new Error("cannot count: nobody listens to this replica");
  const writes = proxy.asked.filter(({ method }) => method !== "GET");
  return writes.filter(({ path }) => path.includes("/leases/") === (to === "leases")).length;
}
