// Replicas that share shards out over one API server, on one clock.
import { expect } from "@jest/globals";
import { makeSeats, type Seats } from "../../../operator/runtime/seats.ts";
import { makeLeaseCollection } from "./lease-collection.ts";
import { makeProcess, type Process } from "./lease-server.ts";
import { makeManualClock, settle } from "./manual-clock.ts";

export const SHARDS = 4;
export const LEASE_MS = 15_000;
export const MEMBER = "lease-member-of-4-";

export interface Replica {
  readonly identity: string;
  readonly process: Process;
  readonly seats: Seats;
  /** Works under way: more than one of a shard would be two leaders in one process. */
  readonly working: Map<number, number>;
  readonly lost: number[];
  readonly stop: () => void;
  /** Lets works end that drain. */
  readonly drained: () => void;
  readonly failed: () => string | undefined;
  readonly hasEnded: () => boolean;
}

export class World {
  readonly clock = makeManualClock();
  readonly server = makeLeaseCollection();
  readonly replicas: Replica[] = [];

  async join(identity: string, { drains = false } = {}): Promise<Replica> {
    const process = makeProcess(this.clock);
    const [stop, force] = [new AbortController(), new AbortController()];
    const working = new Map<number, number>();
    const lost: number[] = [];
    const gate = Promise.withResolvers<undefined>();
    const seats = makeSeats({
      ...{ transport: this.server.transport(process), namespace: "ns", name: "lease", identity, member: identity },
      ...{ shards: SHARDS, labels: { of: "lease" }, clock: process, random: () => 0.5 },
      work: async (shard, signals) => {
        working.set(shard, (working.get(shard) ?? 0) + 1);
        await new Promise<void>((resolve) => {
          signals.stop.addEventListener("abort", () => resolve(), { once: true });
          signals.force.addEventListener("abort", () => {
            lost.push(shard);
            resolve();
          });
        });
        if (drains) await gate.promise;
        working.set(shard, (working.get(shard) ?? 0) - 1);
      },
    });
    let failed: string | undefined;
    let hasEnded = false;
    void seats
      .run({ stop: stop.signal, force: force.signal }, () => undefined)
      .catch((error: unknown) => (failed = (error as Error).message))
      .finally(() => (hasEnded = true));
    await settle();
    const replica: Replica = {
      ...{ identity, process, seats, working, lost },
      stop: () => stop.abort(new Error("stop")),
      drained: () => gate.resolve(undefined),
      failed: () => failed,
      hasEnded: () => hasEnded,
    };
    this.replicas.push(replica);
    return replica;
  }

  /** Who leads each shard; several names are several leaders. */
  leaders(): readonly string[] {
    return Array.from({ length: SHARDS }, (_, shard) =>
      this.replicas
        .filter(({ seats }) => seats.isLeading(shard))
        .map(({ identity }) => identity)
        .join("+"),
    );
  }

  /** Moves on, and looks every quarter of a second that no shard has two leaders, nor a process two works of one. */
  async advance(byMs: number): Promise<void> {
    for (let movedMs = 0; movedMs < byMs; movedMs += 250) {
      await this.clock.advance(250);
      const several = this.leaders().filter((leader) => leader.includes("+"));
      const twice = this.replicas.filter(({ working }) => [...working.values()].some((works) => works > 1));
      expect([several, twice.map(({ identity }) => identity)]).toEqual([[], []]);
    }
  }

  async close(): Promise<void> {
    for (const { drained, process, stop } of this.replicas) {
      process.goOn();
      process.cut(false);
      drained();
      stop();
    }
    await this.clock.advance(60_000);
  }
}

/** A member that renews its Lease and stands for nothing. Returns how to end it. */
export function setGhost(world: World): () => void {
  const process = makeProcess(world.clock);
  const transport = world.server.transport(process);
  let isOver = false;
  const renew = async (): Promise<void> => {
    const metadata = { namespace: "ns", name: `${MEMBER}ghost` };
    const known = world.server.get(metadata.name);
    const spec = {
      holderIdentity: "ghost",
      leaseDurationSeconds: LEASE_MS / 1000,
      renewTime: String(world.clock.monotonicMs()),
    };
    const path = `/leases/${metadata.name}`;
    const options = { signal: new AbortController().signal };
    if (known) await transport.request({ method: "PUT", path, body: { ...known, spec } }, options);
    else await transport.request({ method: "POST", path: "/leases", body: { metadata, spec } }, options);
    if (!isOver) world.clock.after(3000, () => void renew());
  };
  void renew();
  return () => (isOver = true);
}
