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
const AT_ONCE = 16;
const MAX_PER_ROUND = 10_000;

/** Sweeps what is due. One that can't be swept keeps none of the others, and is due again with the next round; throws its fault at the end. */
export async function sweepOutputs({ artifacts, fence, pool }: OutputSweepDeps, signal: AbortSignal): Promise<void> {
  const faults: Error[] = [];
  let after: DueSweep | undefined;
  for (let swept = 0; swept < MAX_PER_ROUND; swept += AT_ONCE) {
    const due = await dueSweeps(pool, { after, atMost: AT_ONCE }, signal);
    after = due.at(-1);
    if (!after) break;
    const results = await Promise.allSettled(due.map((sweep) => sweepOne(artifacts, sweep, signal)));
    await noteSwept(pool, fence, results.flatMap(doneOf), signal);
    faults.push(...results.flatMap(faultOf));
  }
  const [fault] = faults;
  if (fault) throw fault;
}

async function sweepOne(
  artifacts: OutputSweepDeps["artifacts"],
  { attemptId, listed, taskKey }: DueSweep,
  signal: AbortSignal,
): Promise<AttemptId> {
  await artifacts.keepOnly(listed, { attemptId, taskKey }, signal);
  return attemptId;
}

function faultOf(result: PromiseSettledResult<unknown>): readonly Error[] {
  return result.status === "rejected" ? [asError(result.reason)] : [];
}

function doneOf(result: PromiseSettledResult<AttemptId>): readonly AttemptId[] {
  return result.status === "fulfilled" ? [result.value] : [];
}
