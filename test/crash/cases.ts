// The crash matrix: every port call, before and after, at its first and its second passage, under every behaviour.
import { createHash } from "node:crypto";
import type { Behaviour } from "./behaviour.ts";
import { BEHAVIOURS, passagesOf } from "./behaviours.ts";
import type { Moment, Order } from "./order.ts";
import { PORT_CALLS } from "./port-calls.ts";
import type { PortCall } from "./port-calls.ts";

export interface CrashCase {
  /** Its place in the enumeration. */
  readonly index: number;
  readonly behaviour: Behaviour;
  readonly order: Order & { readonly call: PortCall };
  /** Whether the point is surely passed, may be, or cannot be: then the reason why. */
  readonly reach: "surely" | "maybe" | { readonly impossible: string };
}

const MOMENTS: readonly Moment[] = ["before", "after"];
const PASSES = [1, 2] as const;

/** How many cases there must be: nothing else may be counted. */
export const ENUMERATED = BEHAVIOURS.length * PORT_CALLS.length * MOMENTS.length * PASSES.length;

export const CASES: readonly CrashCase[] = BEHAVIOURS.flatMap((behaviour) =>
  PORT_CALLS.flatMap((call) =>
    PASSES.flatMap((pass) =>
      MOMENTS.map((moment): Omit<CrashCase, "index"> => {
        const order = { call, moment, pass, signal: "SIGKILL" } as const;
        return { behaviour, order, reach: reachOf(behaviour, order) };
      }),
    ),
  ),
).map((row, index) => ({ ...row, index }));

function reachOf(behaviour: Behaviour, { call, pass }: CrashCase["order"]): CrashCase["reach"] {
  const { because, least, most } = passagesOf(behaviour, call);
  if (pass <= least) return "surely";
  return pass <= most ? "maybe" : { impossible: because ?? "it is passed no more often" };
}

/** The same cases in an order that depends on nothing but the seed: the first of them are spread over the whole matrix. */
export function spread(cases: readonly CrashCase[], seed: string): readonly CrashCase[] {
  const placed = cases.map((row) => ({ row, place: hashOf(`${seed} ${titleOf(row)}`) }));
  return placed.sort((one, other) => (one.place < other.place ? -1 : 1)).map(({ row }) => row);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The same when the enumeration grows: what was found stays found. */
export function titleOf({ behaviour, order }: CrashCase): string {
  return `${order.moment} passage ${String(order.pass)} of ${order.call}, with a provider that ${behaviour.name}`;
}
