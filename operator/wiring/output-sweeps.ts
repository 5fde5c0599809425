// A leader's sweep of object storage by the books: what attempts that are over have put in their place, and do not list, goes.
import type { Pool } from "pg";
import type { ArtifactStore } from "../artifacts/artifacts.ts";
import type { Fence } from "../postgres/fence.ts";
import { dueSweeps, noteSwept } from "../postgres/output-sweeps.ts";
import type { DueSweep } from "../postgres/output-sweeps.ts";
import { asError } from "../runtime/clock.ts";
import type { AttemptId } from "../task/brand.ts";

export interface OutputSweepDeps {
  readonly pool: Pool;
  readonly fence: Fence;
  readonly artifacts: Pick<ArtifactStore, "keepOnly">;
}

/** So many are swept at once. */
const AT_ONCE = 32;
/** Other chores wait meanwhile. */
const MAX_PER_ROUND = 4_000;

/**
 * Sweeps what is due. One that can't be swept keeps none of the others, and is due again some minutes later; when none of a whole batch can
 * be, the store is down, and the round is over. Throws the last fault at its end.
 */
export async function sweepOutputs({ artifacts, fence, pool }: OutputSweepDeps, signal: AbortSignal): Promise<void> {
  let fault: Error | undefined;
  let after: DueSweep | undefined;
  for (let seen = 0; seen < MAX_PER_ROUND; seen += AT_ONCE) {
    const due = await dueSweeps(pool, { after, atMost: AT_ONCE }, signal);
    after = due.at(-1);
    if (!after) break;
    const unswept: AttemptId[] = [];
    const sweepOne = async ({ attemptId, listed, taskKey }: DueSweep): Promise<void> => {
      await artifacts.keepOnly(listed, { attemptId, taskKey }, signal).catch((error: unknown) => {
        unswept.push(attemptId);
        fault = asError(error);
      });
    };
    await Promise.all(due.map(sweepOne));
    signal.throwIfAborted();
    const swept = due.map(({ attemptId }) => attemptId).filter((id) => !unswept.includes(id));
    await noteSwept(pool, fence, { swept, unswept }, signal);
    if (swept.length === 0) break;
  }
  if (fault) throw fault;
}
