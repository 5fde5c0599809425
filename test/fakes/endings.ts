// The ends of attempts and tasks, and tasks that wait for a person, in the books in memory.
import type { Books } from "../../operator/reconcile/ports.ts";
import { STALE, begunOf, change, done, later, noted, patch, register, resolve } from "./shelf.ts";
import type { Shelf } from "./shelf.ts";

export function endings(shelf: Shelf): Pick<Books, "end" | "endTask" | "park" | "unpark" | "adopt"> {
  return {
    end: (attempt, ending, published) => {
      const retryAt = ending.retryAfterMs === undefined ? undefined : later(shelf, ending.retryAfterMs);
      const jobId = "jobId" in attempt ? attempt.jobId : undefined;
      const sentAt = "sentAt" in attempt ? attempt.sentAt : undefined;
      const written = change(shelf, attempt, {
        ...begunOf(attempt),
        state: "ended",
        endedAt: shelf.now(),
        reason: ending.reason,
        jobId,
        sentAt,
        retryAt,
      });
      if (written.outcome === "stale") return Promise.resolve(STALE);
      resolve(shelf, attempt.held, ending);
      shelf.assets.push(...published);
      if (ending.task) patch(shelf, { ended: { ...ending.task, at: shelf.now() } });
      return Promise.resolve(noted(shelf, done(shelf), ending.decision));
    },
    endTask: (registration, end, decision) => {
      register(shelf, registration);
      return Promise.resolve(noted(shelf, patch(shelf, { ended: { ...end, at: shelf.now() } }), decision));
    },
    park: (registration, parked) => {
      register(shelf, registration);
      return Promise.resolve(patch(shelf, { parked: { ...parked, at: shelf.now() } }));
    },
    unpark: (_, decision) => Promise.resolve(noted(shelf, patch(shelf, { parked: undefined }), decision)),
    adopt: ({ uid, name }) => Promise.resolve(patch(shelf, { uid, name })),
  };
}
