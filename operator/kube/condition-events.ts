// Which flips of conditions are worth an event. Pure; notes are the catalogue's sentences, never a message with values.
import type { Condition } from "../task/resource.ts";
import { unreachable } from "../task/unreachable.ts";

export interface ConditionEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

export interface ConditionTelling {
  /** The note of each reason. */
  readonly sentences: Readonly<Record<string, string>>;
  /** "Type/Reason" of what only repeats another condition of the same object. */
  readonly silent: ReadonlySet<string>;
  /** Types of which it is news, too, that they are true for the first time. */
  readonly announced: ReadonlySet<string>;
}

/** An event when a condition became false, is false for another reason, or is true again. */
export function conditionEvents(
  previous: readonly Condition[],
  next: readonly Condition[],
  telling: ConditionTelling,
): readonly ConditionEvent[] {
  const told = next.filter((condition) => {
    const before = previous.find(({ type }) => type === condition.type);
    return isNews(before, condition, telling) && !telling.silent.has(`${condition.type}/${condition.reason}`);
  });
  return told.map(({ type, status, reason }) => ({
    type: status === "False" ? "Warning" : "Normal",
    reason,
    action: type,
    note: telling.sentences[reason] ?? reason,
  }));
}

function isNews(before: Condition | undefined, now: Condition, { announced }: ConditionTelling): boolean {
  switch (now.status) {
    case "False":
      return before?.status !== "False" || before.reason !== now.reason;
    case "True":
      return before?.status === "False" || (before?.status !== "True" && announced.has(now.type));
    case "Unknown":
      return false;
    default:
      return unreachable(now.status);
  }
}
