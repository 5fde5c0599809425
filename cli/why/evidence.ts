// What the evidence service tells, read with tolerance: a service that is newer, or older, is no fault.
import { z } from "zod";

const time = z.string().optional();
const text = z.string().optional();
const count = z.number().default(0);

const Call = z.looseObject({
  operation: z.string(),
  startedAt: z.string(),
  finishedAt: time,
  outcome: text,
  code: text,
});

const Attempt = z.looseObject({
  number: z.number(),
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  state: z.enum(["intended", "sent", "accepted", "ready", "ended"]),
  begunAt: z.string(),
  blockedBy: text,
  sentAt: time,
  deadline: time,
  ambiguityCode: text,
  ambiguityAt: time,
  looks: count,
  misses: count,
  searchNextAt: time,
  jobID: text,
  acceptedAt: time,
  polls: count,
  nextPollAt: time,
  progress: z.number().optional(),
  emptySince: time,
  missingSince: time,
  cancelAskedAt: time,
  readyAt: time,
  cost: text,
  fetches: count,
  nextFetchAt: time,
  expiredSince: time,
  endedAt: time,
  reason: text,
  retryAt: time,
  held: text,
  settled: text,
  released: text,
  loss: text,
  late: z.looseObject({ state: text, nextAt: time, jobID: text, verdict: text, booked: text }).optional(),
  calls: z.array(Call).default([]),
});
export type AttemptEvidence = z.infer<typeof Attempt>;

const Decision = z.looseObject({
  at: z.string(),
  attempt: z.number(),
  decision: z.string(),
  jobID: text,
  note: text,
  by: text,
});

export const Evidence = z.looseObject({
  now: z.string(),
  task: z.looseObject({
    registeredAt: z.string(),
    endedAt: time,
    endedPhase: text,
    parkedAt: time,
    waitingReason: text,
    waitingPosition: z.number().optional(),
  }),
  attempts: z.array(Attempt),
  decisions: z.array(Decision).default([]),
});
export type Evidence = z.infer<typeof Evidence>;

const Line = z.looseObject({
  transactionID: z.string(),
  at: z.string(),
  operation: z.string(),
  about: text,
  attempt: z.number().optional(),
  available: z.string(),
  held: z.string(),
});

/** What was held and settled in the UTC day and month under way. */
const Spent = z.looseObject({ day: z.string(), month: z.string(), dayEnds: z.string(), monthEnds: z.string() });

export const Account = z.looseObject({
  available: z.string(),
  held: z.string(),
  /** Absent: the service is older. */
  spent: Spent.optional(),
  lines: z.array(Line),
});
export type Account = z.infer<typeof Account>;
