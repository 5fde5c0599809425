// Conditions as zod types them, merged by the runtime, which types the same JSON more narrowly.
import { mergeConditions as merge, type Condition as WireCondition } from "../runtime/status.ts";
import type { Condition } from "../task/resource.ts";

/** A condition as it should be; when it last flipped is known by comparison. */
export type ConditionWanted = Omit<Condition, "lastTransitionTime">;

/** As the runtime's: `lastTransitionTime` is kept while a condition's status stays the same. */
export function mergeConditions(
  previous: readonly Condition[] | undefined,
  next: readonly ConditionWanted[],
  now: Date,
): readonly Condition[] {
  // JSON has no undefined members: the two types differ in nothing else.
  return merge(previous as readonly WireCondition[] | undefined, next as readonly WireCondition[], now);
}
