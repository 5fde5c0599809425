// Which fault the n-th request of a kind meets: what the request itself lists, else the seeded schedule. Pure.
import { createHash } from "node:crypto";
import type { Schedule } from "../schema/config.ts";

export type Place = "submit" | "query" | "list" | "cancel" | "output";

/** One request in the eyes of the schedule: the n-th (from 1) at this place for this reference. */
export interface Occasion {
  readonly place: Place;
  readonly reference: string;
  readonly n: number;
}

/** The scheduled fault: a pure function of the seed, the place, the reference and n. "none" where nothing is scheduled. */
export function scheduledFault(schedule: Schedule, { place, reference, n }: Occasion): string {
  const weights = Object.entries(schedule[place] ?? {})
    .filter(([, weight]) => weight > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  if (total === 0) return "none";

  let point = fraction([String(schedule.seed ?? ""), place, reference, n]) * total;
  for (const [fault, weight] of weights) {
    point -= weight;
    if (point < 0) return fault;
  }
  return weights.at(-1)?.[0] ?? "none";
}

/** The fault of an occasion. A list in the request governs alone: beyond its end all is well. */
export function chooseFault<F extends string>(
  listed: readonly F[] | undefined,
  schedule: Schedule,
  occasion: Occasion,
): F | "none" {
  if (listed) return listed[occasion.n - 1] ?? "none";
  return scheduledFault(schedule, occasion) as F | "none";
}

const DRAW_BITS = 48;

function fraction(parts: readonly unknown[]): number {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  return digest.readUIntBE(0, DRAW_BITS / 8) / 2 ** DRAW_BITS;
}
