// What a job is at a moment, computed from its recorded times: no timer moves a job, so a restart changes nothing. Pure.
import type { FinalState, Job } from "../record/jobs.ts";

export type JobState = "queued" | "running" | FinalState;

/** How a job will end if nothing else happens first. */
export function endOf(job: Pick<Job, "simulate">): FinalState {
  switch (job.simulate.end) {
    case "failed":
    case "moderated":
      return "failed";
    case "done":
    case "done-without-output":
    case "done-outputs-late":
    case "stuck-running":
    case "lost":
      return "done";
  }
}

/** When and how an unfinished job is over by itself or by a cancel, whichever comes first; nothing while it is held. */
export function endingOf(job: Job): { readonly state: FinalState; readonly atMs: number } | undefined {
  const cancelled = job.cancelAtMs === null ? undefined : ({ state: "cancelled", atMs: job.cancelAtMs } as const);
  if (job.held) return cancelled;

  const ended = { state: endOf(job), atMs: job.endsMs };
  return cancelled && cancelled.atMs < ended.atMs ? cancelled : ended;
}

/** The state of a job whose due endings have been settled. */
export function stateAt(job: Job, nowMs: number): JobState {
  return job.finalState ?? (nowMs < job.startsMs ? "queued" : "running");
}

/** Whole percent: 100 is kept for jobs that are done. */
export function progressAt(job: Job, nowMs: number): number {
  if (job.finalState === "done") return 100;

  const lengthMs = Math.max(1, job.endsMs - job.startsMs);
  const share = ((job.finishedMs ?? nowMs) - job.startsMs) / lengthMs;
  return Math.min(99, Math.max(0, Math.floor(share * 100)));
}

/** Whether the provider has forgotten the job: it answers 404 from now on, whatever it billed. */
export function isLost(job: Job): boolean {
  return job.simulate.end === "lost" && job.finalState !== null;
}

/** Whether its outputs exist for the client by now. */
export function hasOutputs(job: Job, nowMs: number): boolean {
  if (job.finalState !== "done" || job.simulate.end === "done-without-output") return false;
  if (job.simulate.end !== "done-outputs-late") return true;
  return nowMs >= (job.finishedMs ?? nowMs) + job.simulate.lateMs;
}
