// What a provider, a person or a clock does to a task while the process dies under it, and how the task's life then differs
// from an ordinary one.
import type { Behaviour } from "./behaviour.ts";
import {
  AT_LEAST_ONCE,
  LOST,
  NEVER_TRIED,
  NOTHING_MADE,
  NO_OUTPUT,
  ONCE,
  SECOND_ATTEMPT,
  TWICE,
} from "./differences.ts";
import { LATE_BEHAVIOURS } from "./late-behaviours.ts";
import { ORDINARY } from "./port-calls.ts";
import type { Passages, PortCall } from "./port-calls.ts";

const lost = (name: string, fault: string): Behaviour => ({
  name,
  simulate: { submit: [fault] },
  ends: ["Succeeded"],
  differs: LOST,
});

export const BEHAVIOURS: readonly Behaviour[] = [
  { name: "answers", ends: ["Succeeded"] },
  lost("accepts, then FIN", "close-after"),
  lost("accepts, then RST", "reset-after"),
  lost("accepts, then silence", "silence-after"),
  lost("accepts, then garbage", "garbage-after"),
  lost("accepts, then 502", "bad-gateway-after"),
  {
    name: "answers 409",
    simulate: { submit: ["conflict"] },
    ends: ["Succeeded"],
    differs: { ...SECOND_ATTEMPT, ...LOST, "client.search": TWICE, "books.noteLook": AT_LEAST_ONCE },
  },
  {
    name: "answers 429 with Retry-After",
    simulate: { submit: ["rate-limited-header"] },
    ends: ["Succeeded"],
    differs: SECOND_ATTEMPT,
  },
  {
    name: "answers a replay with the first job",
    provider: "replaying",
    simulate: { submit: ["close-after"] },
    ends: ["Succeeded"],
    differs: {
      ...LOST,
      "client.search": ORDINARY["client.search"],
      "client.replay": AT_LEAST_ONCE,
      "tasks.input": TWICE,
      "unsent.forget": TWICE,
    },
  },
  {
    name: "succeeds after the credits were released",
    provider: "blind",
    simulate: { submit: ["close-after"] },
    spec: { unknownPolicy: "Fail" },
    ends: ["Failed", "Succeeded"],
    differs: { ...NOTHING_MADE, "books.markAmbiguous": ONCE, "unsent.has": AT_LEAST_ONCE },
  },
  {
    name: "can't be asked, and a person looks",
    provider: "blind",
    simulate: { submit: ["close-after"] },
    reactions: { NeedsReview: "resolve" },
    ends: ["Succeeded"],
    differs: { "books.markAmbiguous": ONCE, "books.park": ONCE, "books.unpark": ONCE, "unsent.has": TWICE },
  },
  {
    name: "names a lost job by webhook, before it can be asked for",
    provider: "telling",
    simulate: { submit: ["close-after"], query: ["not-found-transient"] },
    reactions: { SubmitUnknown: "tell", NeedsReview: "resolve" },
    ends: ["Succeeded"],
    differs: { "books.markAmbiguous": ONCE, "books.noteClaim": ONCE, "unsent.has": TWICE },
  },
  {
    name: "gives a result after the cancel",
    simulate: { cancel: ["ignored"], durationMs: 3000 },
    reactions: { Polling: "cancel" },
    ends: ["Succeeded", "Cancelled"],
    differs: { "client.cancel": AT_LEAST_ONCE, "books.noteCancelAsked": ONCE },
  },
  {
    name: "confirms a cancel at the second try",
    simulate: { cancel: ["server-error"], durationMs: 60_000 },
    reactions: { Polling: "cancel" },
    ends: ["Cancelled"],
    differs: { ...NO_OUTPUT, "client.cancel": TWICE, "books.noteCancelAsked": ONCE },
  },
  {
    name: "runs on while its object is deleted",
    simulate: { durationMs: 60_000 },
    reactions: { Polling: "delete" },
    ends: ["gone"],
    differs: { ...NO_OUTPUT, "client.cancel": ONCE, "books.noteCancelAsked": ONCE, "tasks.letGo": ONCE },
  },
  {
    name: "runs on while its object is restored under another UID",
    simulate: { durationMs: 4000 },
    reactions: { Polling: "replace" },
    ends: ["Succeeded"],
    differs: { "books.adopt": ONCE, "tasks.exists": AT_LEAST_ONCE, "tasks.pin": TWICE },
  },
  {
    name: "fails the job",
    simulate: { end: "failed", query: ["server-error", "server-error"] },
    ends: ["Failed"],
    differs: { ...NO_OUTPUT, "books.notePoll": TWICE },
  },
  {
    name: "breaks off outputs twice",
    simulate: { outputs: [{ kind: "image", faults: ["reset-midway", "truncated-length"] }] },
    ends: ["Succeeded"],
    differs: { "artifacts.fetch": TWICE, "books.noteFetch": TWICE },
  },
  {
    name: "serves unusable outputs",
    simulate: { outputs: [{ kind: "image", fault: "mislabelled-html" }] },
    ends: ["Failed"],
    differs: { "artifacts.fetch": TWICE, "books.noteFetch": TWICE },
  },
  {
    name: "refuses, and the object has a time to live",
    simulate: { submit: ["invalid", "invalid", "invalid"] },
    spec: { ttlSecondsAfterFinished: 1 },
    ends: ["gone"],
    differs: { ...NOTHING_MADE, "tasks.remove": ONCE, "tasks.letGo": ONCE },
  },
  {
    name: "has no such model",
    model: "sim-nothing",
    ends: ["Rejected"],
    differs: { ...NEVER_TRIED, "books.endTask": ONCE },
  },
  ...LATE_BEHAVIOURS,
];

/** How often this behaviour's life passes the call. */
export function passagesOf({ differs }: Behaviour, call: PortCall): Passages {
  return differs?.[call] ?? ORDINARY[call];
}
