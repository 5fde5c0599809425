// Attempts that wait for one provider's quota, and asking for their admission.
import type { SentOutcome } from "../../../operator/reconcile/ports.ts";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { Admission } from "../../../operator/task/quota.ts";
import { NEVER, UNLIMITED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";

type Waiting = AttemptIn<"intended">;

export interface Line {
  readonly provider: string;
  /** One attempt for each, begun in this order. */
  readonly join: (changes: readonly Parameters<typeof wish>[0][]) => Promise<Waiting[]>;
  readonly joinMany: (count: number) => Promise<Waiting[]>;
  readonly ask: (attempt: Waiting | undefined, admission: Partial<Admission>) => Promise<SentOutcome>;
  /** All at once; answers how many were admitted. */
  readonly askAll: (attempts: readonly Waiting[], admission: Partial<Admission>) => Promise<number>;
}

let providers = 0;

/** The line of a provider that nobody has used before. */
export function newLine(desk: Desk): Line {
  providers += 1;
  const provider = `provider-${providers}`;
  const join: Line["join"] = async (changes) => {
    const attempts: Waiting[] = [];
    for (const change of changes) attempts.push(await desk.begun(wish({ provider, ...change })));
    return attempts;
  };
  const ask: Line["ask"] = (attempt, admission) => {
    if (!attempt) throw new Error("nobody is there to ask");
    return desk.books.markSent(attempt, { ...UNLIMITED, ...admission }, 30_000, NEVER);
  };
  return {
    provider,
    join,
    joinMany: (count) => join(Array.from({ length: count }, () => ({}))),
    ask,
    askAll: async (attempts, admission) => {
      const outcomes = await Promise.all(attempts.map((attempt) => ask(attempt, admission)));
      return outcomes.filter(({ outcome }) => outcome === "sent").length;
    },
  };
}
