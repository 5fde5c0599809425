import { describe, expect, test } from "@jest/globals";
import { adviceFor, adviceForPhase, type About } from "../../../cli/why/advice.ts";
import { END_WORDS } from "../../../cli/why/attempts.ts";
import { END_REASONS } from "../../../operator/task/attempt.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { SeenTask } from "../../../cli/cluster/kinds.ts";
import { nextOf } from "../../../cli/why/page.ts";
import { PHASES } from "../../../operator/task/resource.ts";

describe("what to do next", () => {
  const about = (phase: About["phase"], reason?: string): About => ({
    ...{ name: "sunrise", namespace: "studio", phase, reason, provider: "acme" },
    ...{ jobID: undefined, attemptID: undefined },
  });
  const cases = Object.keys(REASONS).flatMap((reason) => PHASES.map((phase) => ({ reason, phase })));

  test.each(cases)("is a sentence for $reason in $phase", ({ phase, reason }) => {
    const { commands, sentence } = adviceFor(about(phase, reason));
    expect(sentence).toMatch(/^[A-Z].{10,}\.$/);
    expect([sentence, ...commands].join()).not.toMatch(/undefined|null/);
    for (const command of commands) expect(command).toMatch(/^kubectl (genop|describe|get|patch) /);
  });

  test.each(PHASES)("is a sentence in %s for a reason of another version", (phase) => {
    expect(adviceFor(about(phase, "Unheard"))).toEqual(adviceForPhase(phase));
    expect(adviceFor(about(phase))).toEqual(adviceForPhase(phase));
    expect(adviceForPhase(phase).sentence).toMatch(/^[A-Z].{5,}\.$/);
  });

  test("asks for a decision only where one is waited for", () => {
    const decides = (phase: About["phase"]): boolean =>
      adviceFor(about(phase, "SubmitUnresolved")).commands.some((command) => command.includes("resolve"));
    expect(PHASES.filter(decides)).toEqual(["NeedsReview"]);
  });

  test("tells what each end of an attempt proves", () => {
    expect(Object.keys(END_WORDS).sort()).toEqual([...END_REASONS].sort());
  });

  test("for a task that nobody has looked at is to see whether anybody leads", () => {
    const task = SeenTask.parse({ metadata: { name: "new", namespace: "studio" } });
    const absent = { absent: "nobody was asked" };
    const unseen = { task, events: [], provider: absent, evidence: absent, account: absent, now: new Date() };
    expect(nextOf(unseen)).toMatchObject({ sentence: expect.stringContaining("nobody leads") });
  });
});
