// Which shard a key belongs to, which replica should hold which shard, and what a replica does about it. Pure: all replicas,
// of all versions, come to the same.

/**
 * The shard of a key such as "namespace/name": FNV-1a over its characters, 32 bits, finished as murmur3 does, modulo `count`.
 * It must never change: two replicas that disagree would both work on a key, or neither. Names in Kubernetes are ASCII.
 */
export function shardOf(key: string, count: number): number {
  return count === 1 ? 0 : hashOf(key) % count;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

interface Pair {
  readonly shard: number;
  readonly member: string;
  readonly weight: number;
}

/**
 * Who should hold each shard, by its index: nobody when there is no member. Loads differ by at most one. A member that
 * comes takes shards from others, one that goes leaves its own to them, and of the rest few move.
 *
 * Rendezvous hashing with a limit: of all pairs of shard and member, the heaviest first, as long as both have room.
 */
export function holdersOf(count: number, members: readonly string[]): readonly (string | undefined)[] {
  const names = [...new Set(members)];
  const least = Math.floor(count / Math.max(1, names.length));
  let larger = names.length > 0 ? count % names.length : 0; // so many members hold one more than the others
  const loads = new Map<string, number>();
  const holders = Array.from({ length: count }, (): string | undefined => undefined);
  for (const { member, shard } of pairsOf(count, names)) {
    const load = loads.get(member) ?? 0;
    if (holders[shard] !== undefined || load > least || (load === least && larger === 0)) continue;
    if (load === least) larger -= 1;
    holders[shard] = member;
    loads.set(member, load + 1);
  }
  return holders;
}

function pairsOf(count: number, members: readonly string[]): readonly Pair[] {
  const pairs = members.flatMap((member) =>
    Array.from({ length: count }, (_, shard) => ({ shard, member, weight: hashOf(`${member}/${shard}`) })),
  );
  return pairs.sort((a, b) => b.weight - a.weight || a.shard - b.shard || (a.member < b.member ? -1 : 1));
}

/** What a replica sees of one shard. */
export interface Situation {
  /** It should hold the shard itself. */
  readonly isPreferred: boolean;
  readonly isLeading: boolean;
  /** For how long another one should have held it; 0 when it should itself. */
  readonly othersForMs: number;
  /** For how long nobody has held it. */
  readonly freeForMs: number;
  /** For how long it is still to be kept, whoever comes. */
  readonly keepForMs: number;
}

export type Advice = "stand" | "stay" | "leave";

/** A shard that the right holder did not take is kept for so many times of a Lease by whoever took it instead. */
export const KEEP_LEASES = 10;
// Replicas come and go together, and to drain a shard for each would cost more than to wait.
const SETTLE_LEASES = 1 / 3;

/** What a replica does about a shard. `leaseMs`: the time of a Lease. */
export function adviceFor(situation: Situation, leaseMs: number): Advice {
  const { freeForMs, isLeading, isPreferred, keepForMs, othersForMs } = situation;
  if (isPreferred) return "stand";
  if (!isLeading) return freeForMs >= leaseMs ? "stand" : "leave";
  return othersForMs >= SETTLE_LEASES * leaseMs && keepForMs <= 0 ? "leave" : "stay";
}
