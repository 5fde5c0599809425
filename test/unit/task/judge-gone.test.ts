// A job that the provider does not know any more, after we had asked it to cancel: what that proves follows from what its cancel does.
import { expect, test } from "@jest/globals";
import { judgeQuery } from "../../../operator/task/judge/query.ts";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { ProviderSpec } from "../../../operator/task/provider-resource.ts";
import { NOON, SECOND, accepted, after, seen, settings, task } from "../../builders/seen.ts";

type Cancel = ProviderSpec["capabilities"]["cancel"];

interface Row {
  readonly cancel: Cancel;
  readonly wasAsked: boolean;
  /** Whether the provider's author knows the answer as "no such job". */
  readonly documented: boolean;
  readonly seconds: number;
  readonly then: object;
}

const CANCELLED = { type: "end", ending: { reason: "Cancelled", charge: 0n, task: { phase: "Cancelled" } } };
const LOST = { type: "end", ending: { reason: "JobLost", task: { phase: "Failed" } } };
const DOUBTED = { type: "poll", poll: { doubt: "missing" } };

const ROWS: readonly Row[] = [
  ...(["Confirmed", "Destructive"] as const).flatMap((cancel): readonly Row[] => [
    { cancel, wasAsked: true, documented: true, seconds: 30, then: CANCELLED },
    { cancel, wasAsked: true, documented: false, seconds: 30, then: CANCELLED },
    { cancel, wasAsked: true, documented: true, seconds: 29, then: DOUBTED },
    { cancel, wasAsked: false, documented: true, seconds: 30, then: LOST },
    { cancel, wasAsked: false, documented: false, seconds: 30, then: DOUBTED },
  ]),
  { cancel: "Request", wasAsked: true, documented: true, seconds: 30, then: LOST },
  { cancel: "Request", wasAsked: true, documented: false, seconds: 30, then: DOUBTED },
];

test.each(ROWS)(
  "gone for $seconds s, cancel $cancel, asked $wasAsked, documented $documented",
  ({ cancel, documented, seconds, then, wasAsked }) => {
    const attempt: AttemptIn<"accepted"> = accepted({
      cancelAskedAt: wasAsked ? NOON : undefined,
      missing: { since: after(NOON, -seconds * SECOND), answers: 1 },
    });
    const world = seen({
      attempt,
      task: task({ wish: { cancelRequested: true } }),
      provider: { state: "ready", settings: settings({ capabilities: { cancel } }) },
    });
    expect(judgeQuery(world, attempt, { outcome: "missing", documented }, 0.5)).toMatchObject(then);
  },
);
