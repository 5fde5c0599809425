// What a person decided about a task, in the words that the books keep.
import type { TaskSpec } from "./resource.ts";

type Resolution = NonNullable<TaskSpec["resolution"]>;

/** It is written down in the transaction that carries it out, and never changed. */
export interface Decision {
  readonly attempt: number;
  readonly decision: Resolution["decision"];
  readonly jobId: string | undefined;
  readonly note: string | undefined;
  /** As the object says it: whoever may write the object may write any name. */
  readonly by: string | undefined;
}

export function decisionOf({ attempt, by, decision, jobID, note }: Resolution): Decision {
  return { attempt, decision, jobId: jobID, note, by };
}
