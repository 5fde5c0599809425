// The port Books over Postgres: one file per concern, put together here.
import type { Pool } from "pg";
import type { Books } from "../reconcile/ports.ts";
import { begin } from "./begin.ts";
import { noteClaim, recover } from "./claims.ts";
import { end, endTask } from "./ending.ts";
import type { Fence } from "./fence.ts";
import { load } from "./load.ts";
import { adopt, park, unpark } from "./parking.ts";
import { markReady, noteCancelAsked, noteFetch, notePoll } from "./poll.ts";
import { markAccepted, markAmbiguous, markSent, noteLook } from "./submit.ts";

/** `fence` tells the term that this process leads in: without one, or in a past one, nothing is written. */
export function makeBooks(pool: Pool, fence: Fence): Books {
  return {
    load: (key, signal) => load(pool, key, signal),
    begin: (beginning, signal) => begin(pool, fence, beginning, signal),
    markSent: (attempt, admission, deadlineMs, signal) =>
      markSent(pool, fence, { attempt, admission, deadlineMs }, signal),
    markAccepted: (attempt, id, pollAfterMs, decision) =>
      markAccepted(pool, fence, attempt, { id, pollAfterMs, decision }),
    markAmbiguous: (attempt, code, searchAfterMs) => markAmbiguous(pool, fence, attempt, { code, searchAfterMs }),
    recover: (recovering, signal) => recover(pool, fence, recovering, signal),
    noteClaim: (attempt, claim) => noteClaim(pool, fence, attempt, claim),
    noteLook: (attempt, look) => noteLook(pool, fence, attempt, look),
    notePoll: (attempt, poll) => notePoll(pool, fence, attempt, poll),
    noteCancelAsked: (attempt) => noteCancelAsked(pool, fence, attempt),
    markReady: (attempt, cost) => markReady(pool, fence, attempt, cost),
    noteFetch: (attempt, refetch) => noteFetch(pool, fence, attempt, refetch),
    end: (attempt, ending, assets) => end(pool, fence, attempt, { ending, assets }),
    endTask: (registration, taskEnd, decision) => endTask(pool, fence, registration, { taskEnd, decision }),
    park: (registration, parked) => park(pool, fence, registration, parked),
    unpark: (key, decision) => unpark(pool, fence, key, decision),
    adopt: (registration) => adopt(pool, fence, registration),
  };
}
