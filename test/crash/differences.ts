// How lives differ from an ordinary one, in words that several behaviours share.
import type { Passages, PortCall } from "./port-calls.ts";

export type Differs = Partial<Readonly<Record<PortCall, Passages>>>;

export const TWICE: Passages = { least: 2, most: 2 };
export const ONCE: Passages = { least: 1, most: 1, because: "this life needs it once" };
export const SOMETIMES: Passages = { least: 0, most: 2 };
export const AT_LEAST_ONCE: Passages = { least: 1, most: 2 };
const NOT: Passages = { least: 0, most: 0, because: "this life ends before it" };
export const NOT_NEEDED: Passages = { least: 0, most: 0, because: "this life has no need of it" };

export const LOST: Differs = {
  "books.markAmbiguous": ONCE,
  "client.search": AT_LEAST_ONCE,
  "books.noteLook": SOMETIMES,
  "unsent.has": TWICE,
};

export const SECOND_ATTEMPT: Differs = {
  "books.begin": TWICE,
  "books.markSent": TWICE,
  "books.end": TWICE,
  "tasks.input": TWICE,
  "quotas.admission": TWICE,
  "quotas.budget": TWICE,
  "client.submit": TWICE,
  "unsent.forget": TWICE,
  pause: TWICE,
};

export const NO_OUTPUT: Differs = {
  "books.markReady": NOT,
  "client.query": AT_LEAST_ONCE,
  "artifacts.fetch": NOT,
  "slots.take": ONCE,
  "slots.release": ONCE,
  pause: ONCE,
};

export const NOTHING_MADE: Differs = {
  ...NO_OUTPUT,
  "books.load": AT_LEAST_ONCE,
  "books.markAccepted": NOT,
  "books.notePoll": NOT,
  "providers.client": ONCE,
  "client.query": NOT,
  "journal.called": ONCE,
  random: ONCE,
};

export const NEVER_TRIED: Differs = {
  ...Object.fromEntries(Object.keys({ ...NOTHING_MADE, ...SECOND_ATTEMPT }).map((call) => [call, NOT])),
  "books.load": AT_LEAST_ONCE,
  "tasks.pin": NOT,
  "tasks.report": AT_LEAST_ONCE,
};
