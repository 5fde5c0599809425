// Whether each task ended as the cast says. Pure.
import type { SeenTask } from "../operator/watcher.ts";
import type { JobRecord } from "../provider/admin/contents.ts";
import type { Role } from "./cast.ts";

export interface Played {
  readonly task: SeenTask | undefined;
  readonly phasesSeen: ReadonlySet<string>;
  /** The jobs of this task in the provider's record. */
  readonly jobs: readonly JobRecord[];
}

/** What is wrong with how the role was played, in one sentence; undefined when all is as announced. */
export function objectionTo(role: Role, played: Played): string | undefined {
  const status = played.task?.status;
  return (
    wrongPhase(role, status) ?? wrongCount(role, status?.attempt ?? 0, played.jobs.length) ?? missedPhase(role, played)
  );
}

function wrongPhase({ end, name }: Role, status: SeenTask["status"]): string | undefined {
  if (status?.phase === end.phase) return undefined;
  const message = status?.message === undefined ? "" : ` (${status.message})`;
  return `${name} should be ${end.phase} and is ${status?.phase ?? "in no phase"}${message}`;
}

function wrongCount({ end, name }: Role, attempts: number, jobs: number): string | undefined {
  if (attempts !== end.attempts) return `${name} should have needed ${end.attempts} attempts and had ${attempts}`;
  if (jobs !== end.jobs) return `${name} should have ${end.jobs} jobs at the provider and has ${jobs}`;
  return undefined;
}

function missedPhase({ end, name }: Role, { phasesSeen }: Played): string | undefined {
  if (end.through === undefined || phasesSeen.has(end.through)) return undefined;
  return `${name} was never seen in ${end.through}`;
}
