// The books on one page: what one namespace has, and how far each of its wishes is. No SQL, no clock, no concurrency.
import type { Beginning } from "../../../operator/reconcile/ports.ts";
import type { Attempt } from "../../../operator/task/attempt.ts";
import { wish } from "./desk.ts";

export const ESTIMATE = 100n;

export interface WishModel {
  readonly beginning: Beginning;
  attempt: Attempt["state"] | "none";
  parked: boolean;
  over: boolean;
  reserved: bigint;
  settled: bigint;
  released: bigint;
}

export interface Model {
  readonly namespace: string;
  readonly wishes: readonly WishModel[];
  available: bigint;
  held: bigint;
}

export function newModel(namespace: string, wishes: number): Model {
  return {
    namespace,
    available: 0n,
    held: 0n,
    wishes: Array.from({ length: wishes }, () => ({
      beginning: wish({ namespace, provider: namespace }),
      attempt: "none",
      parked: false,
      over: false,
      reserved: 0n,
      settled: 0n,
      released: 0n,
    })),
  };
}

export const isLive = ({ attempt }: WishModel): boolean => attempt !== "none" && attempt !== "ended";

/** What a begin must answer. */
export function beginOutcome(model: Model, one: WishModel): "begun" | "short" | "stale" {
  if (one.over || one.parked || isLive(one)) return "stale";
  return model.available < ESTIMATE ? "short" : "begun";
}

export function begun(model: Model, one: WishModel): void {
  one.attempt = "intended";
  one.reserved += ESTIMATE;
  model.available -= ESTIMATE;
  model.held += ESTIMATE;
}

export function ended(model: Model, one: WishModel, charge: bigint): void {
  const settled = charge < ESTIMATE ? charge : ESTIMATE;
  one.attempt = "ended";
  one.settled += settled;
  one.released += ESTIMATE - settled;
  model.held -= ESTIMATE;
  model.available += ESTIMATE - settled;
}

export function over(one: WishModel): void {
  one.over = true;
  one.parked = false;
}
