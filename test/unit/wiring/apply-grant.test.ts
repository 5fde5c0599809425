import { describe, expect, test } from "@jest/globals";
import type { GrantOutcome } from "../../../operator/postgres/grants.ts";
import { micro } from "../../../operator/task/credits.ts";
import { applyGrantWith } from "../../../operator/wiring/apply-grant.ts";

const NEVER = new AbortController().signal;
const GRANT = { uid: "uid", namespace: "studio", amount: micro(500_000n), reason: "r" };
const REFUND = { taskKey: "studio/uid-1", attempt: 1, by: "anna" };

async function applied(
  outcome: GrantOutcome,
  refund: typeof REFUND | undefined,
): Promise<{ readonly answer: unknown; readonly counted: readonly (string | undefined)[] }> {
  const counted: (string | undefined)[] = [];
  const metrics = { count: (_: unknown, labels: { kind?: string }) => void counted.push(labels.kind) };
  const grants = { apply: () => Promise.resolve(outcome) };
  return { answer: await applyGrantWith(grants, metrics)({ ...GRANT, refund }, NEVER), counted };
}

describe("what the ledger says to a grant", () => {
  test.each([
    { refund: undefined, kinds: ["granted"] },
    { refund: REFUND, kinds: ["refunded", "lost"] },
  ])("is counted once, as $kinds", async ({ kinds, refund }) => {
    const answer = { outcome: "applied", transactionId: "7" } as const;
    expect(await applied(answer, refund)).toEqual({ answer, counted: kinds });
    expect(await applied({ ...answer, outcome: "already" }, refund)).toEqual({ answer, counted: [] });
  });

  test.each<{ outcome: GrantOutcome; says: RegExp }>([
    { outcome: { outcome: "other-input", field: "by" }, says: /booked before with another by$/ },
    { outcome: { outcome: "nothing-settled" }, says: /^cannot refund: .*no attempt of this namespace that has ended/ },
    { outcome: { outcome: "over-settled", left: micro(20_000n) }, says: /^cannot refund more than 0\.02:/ },
  ])("is told in a sentence: $outcome.outcome", async ({ outcome, says }) => {
    const { answer, counted } = await applied(outcome, REFUND);
    expect(answer).toEqual({ outcome: "refused", message: expect.stringMatching(says) });
    expect(counted).toEqual([]);
  });
});
