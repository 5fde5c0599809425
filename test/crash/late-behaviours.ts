// Providers that lose the answer to a submit, and show its job when the task's policy has given it up: what becomes of the job then.
import type { Behaviour } from "./behaviour.ts";
import { AT_LEAST_ONCE, NOTHING_MADE, NOT_NEEDED, ONCE, SOMETIMES, TWICE } from "./differences.ts";
import type { Differs } from "./differences.ts";

/** Longer than any case lasts. */
const LONG_MS = 12 * 3_600_000;
/** The job is shown when the laboratory says so, and costs another amount than was held for it. */
const LOST = { submit: ["close-after"], list: { lagMs: LONG_MS }, bill: { amount: "0.007" } };

/** Given up by its policy; looked for twice in vain, found, asked for, and closed. */
const FOUND_LATE: Differs = {
  ...NOTHING_MADE,
  "books.load": TWICE,
  "books.markAmbiguous": ONCE,
  "client.search": SOMETIMES,
  "books.noteLook": SOMETIMES,
  "unsent.has": AT_LEAST_ONCE,
  "providers.client": AT_LEAST_ONCE,
  "journal.called": AT_LEAST_ONCE,
  random: AT_LEAST_ONCE,
  "late.books.due": TWICE,
  "late.books.noteVisit": TWICE,
  "late.books.noteClaim": NOT_NEEDED,
  "late.books.markFound": ONCE,
  "late.books.noteWatch": NOT_NEEDED,
  "late.books.close": ONCE,
  "late.tasks.get": NOT_NEEDED,
  "late.provider": TWICE,
  "late.client.search": TWICE,
  "late.client.query": ONCE,
  "late.client.cancel": NOT_NEEDED,
  "late.artifacts.fetch": NOT_NEEDED,
  "late.slots.take": NOT_NEEDED,
  "late.slots.release": NOT_NEEDED,
  "late.journal.called": TWICE,
  "late.random": TWICE,
};
const KEPT: Differs = {
  ...FOUND_LATE,
  "late.tasks.get": ONCE,
  "late.slots.take": ONCE,
  "late.slots.release": ONCE,
  "late.artifacts.fetch": ONCE,
};

const shared = { provider: "hiding", spec: { unknownPolicy: "Fail" }, ends: ["Failed"], differs: FOUND_LATE } as const;

export const LATE_BEHAVIOURS: readonly Behaviour[] = [
  {
    ...shared,
    name: "shows a lost job after the end, and cancels it",
    simulate: { ...LOST, durationMs: LONG_MS },
    late: { toldBy: "look", verdict: "cancelled", kept: 0 },
    differs: {
      ...FOUND_LATE,
      "late.client.query": TWICE,
      "late.client.cancel": ONCE,
      "late.books.noteWatch": AT_LEAST_ONCE,
    },
  },
  {
    ...shared,
    name: "shows a lost job after the end, when it is billed",
    simulate: LOST,
    late: { toldBy: "look", verdict: "succeeded", kept: 0 },
  },
  {
    ...shared,
    name: "shows a lost job after the end, fails to cancel it, and lets it run to its end",
    simulate: { ...LOST, durationMs: LONG_MS, cancel: ["server-error", ...Array<string>(20).fill("ignored")] },
    late: { toldBy: "look", runsOn: true, verdict: "succeeded", kept: 0 },
    differs: {
      ...FOUND_LATE,
      "late.client.query": TWICE,
      "late.client.cancel": TWICE,
      "late.books.noteWatch": TWICE,
    },
  },
  {
    ...shared,
    name: "shows a lost job after the end, whose outputs are kept",
    provider: "keeping",
    simulate: LOST,
    late: { toldBy: "look", verdict: "succeeded", kept: 1 },
    differs: KEPT,
  },
  {
    ...shared,
    name: "shows a lost job after the end, and breaks off its outputs twice",
    provider: "keeping",
    simulate: { ...LOST, outputs: [{ kind: "image", faults: ["reset-midway", "truncated-length"] }] },
    late: { toldBy: "look", verdict: "succeeded", kept: 1 },
    differs: {
      ...KEPT,
      "late.books.noteWatch": TWICE,
      "late.client.query": TWICE,
      "late.tasks.get": TWICE,
      "late.slots.take": TWICE,
      "late.slots.release": TWICE,
      "late.artifacts.fetch": TWICE,
    },
  },
  {
    ...shared,
    name: "shows a lost job after the end, and serves unusable outputs",
    provider: "keeping",
    simulate: { ...LOST, outputs: [{ kind: "image", fault: "mislabelled-html" }] },
    late: { toldBy: "look", verdict: "succeeded", kept: 0 },
    differs: KEPT,
  },
  {
    ...shared,
    name: "names a lost job by webhook after the end, before it can be asked for",
    provider: "telling-late",
    simulate: { ...LOST, query: ["not-found-transient"] },
    late: { toldBy: "webhook", verdict: "succeeded", kept: 0 },
    differs: {
      ...FOUND_LATE,
      "client.search": NOT_NEEDED,
      "books.noteLook": NOT_NEEDED,
      "late.client.search": NOT_NEEDED,
      "late.client.query": TWICE,
      "late.books.noteClaim": ONCE,
    },
  },
];
