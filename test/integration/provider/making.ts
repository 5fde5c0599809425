// Jobs that are over at once, and what was fetched of their outputs.
import { createHash } from "node:crypto";
import type { OutputView } from "../../provider/jobs/view.ts";
import type { Caller, Seen } from "./calling.ts";

export interface Made {
  readonly id: string;
  readonly outputs: readonly OutputView[];
}

/** A job that is done, with the outputs that were wished for. */
export async function makeJob(caller: Caller, wishes: readonly unknown[]): Promise<Made> {
  const simulate = { queueMs: 0, durationMs: 0, outputs: wishes };
  const id = await caller.accepted({ reference: "studio/a", simulate });
  return { id, outputs: (await caller.finished(id)).outputs };
}

export function firstOf({ outputs }: Pick<Made, "outputs">): OutputView {
  const [output] = outputs;
  if (!output) throw new Error("cannot fetch: the job has no output");
  return output;
}

export type Answer = Extract<Seen, { saw: "answer" }>;

export function answerOf(seen: Seen): Answer {
  if (seen.saw !== "answer") throw new Error(`cannot read an answer: saw ${seen.saw}`);
  return seen;
}

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
