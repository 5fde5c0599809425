// Every call that a pass, and a visit to a late search, can make on its ports, named by the types of the ports themselves: a port with a
// new method does not compile until it is listed here, and one that has lost a method does not either.
import type { LateDeps } from "../../operator/reconcile/late-job.ts";
import type { Deps, ProviderClient } from "../../operator/reconcile/ports.ts";

type Methods<Port> = Extract<
  { [Name in keyof Port]: Port[Name] extends (...values: never[]) => unknown ? Name : never }[keyof Port],
  string
>;
type Named<Ports, Port extends keyof Ports & string> = Ports[Port] extends (...values: never[]) => unknown
  ? Port
  : `${Port}.${Methods<Ports[Port]>}`;
type CallsOn<Ports> =
  | { [Port in keyof Ports & string]: Named<Ports, Port> }[keyof Ports & string]
  | `client.${Methods<ProviderClient>}`
  | "slots.release";

/**
 * Such as `books.markSent`, and `late.books.markFound` in a visit to a late search. `client.…` is what `providers.client` answers, or
 * `late.provider`, and `slots.release` what `slots.take` does.
 */
export type PortCall = CallsOn<Deps> | `late.${CallsOn<LateDeps>}`;

/** How often one life of a task passes a call; 2 stands for twice or more often. Between the two it depends on the clock. */
export interface Passages {
  readonly least: 0 | 1 | 2;
  readonly most: 0 | 1 | 2;
  /** Why not more often, where that is less than 2. */
  readonly because?: string;
}

const OFTEN: Passages = { least: 2, most: 2 };
const once = (because: string): Passages => ({ least: 1, most: 1, because });
const never = (because: string): Passages => ({ least: 0, most: 0, because });

const ONE_ATTEMPT = "an ordinary life has one attempt, and this belongs to it";
const CLEAR = "the answer to the submit was clear";
const NOT_GIVEN_UP = never("no attempt is given up, so nothing is looked for after its end");
const NOT_LATE = never("a late search never submits");

/** An ordinary life: begun, submitted, answered, polled, fetched, ended. What differs from it stands with each behaviour. */
export const ORDINARY: Readonly<Record<PortCall, Passages>> = {
  "books.load": OFTEN,
  "books.begin": once(ONE_ATTEMPT),
  "books.markSent": once(ONE_ATTEMPT),
  "books.recover": never("its record is not missing"),
  "books.noteClaim": never("no webhook names a job"),
  "books.markAccepted": once(ONE_ATTEMPT),
  "books.markAmbiguous": never(CLEAR),
  "books.noteLook": never(CLEAR),
  "books.notePoll": { least: 0, most: 2 },
  "books.noteCancelAsked": never("nobody cancels"),
  "books.markReady": once(ONE_ATTEMPT),
  "books.noteFetch": never("the first fetch succeeds"),
  "books.end": once(ONE_ATTEMPT),
  "books.endTask": never("the task ends with its attempt"),
  "books.park": never("nobody has to be asked"),
  "books.unpark": never("it was not parked"),
  "books.adopt": never("its object stays the same one"),
  "tasks.get": OFTEN,
  "tasks.exists": never("its object stays the same one"),
  "tasks.pin": once("key and finalizer are written once"),
  "tasks.report": OFTEN,
  "tasks.letGo": never("its object is not deleted"),
  "tasks.remove": never("it has no time to live"),
  "tasks.input": once(ONE_ATTEMPT),
  "quotas.admission": once(ONE_ATTEMPT),
  "quotas.budget": once(ONE_ATTEMPT),
  "providers.see": OFTEN,
  "providers.client": OFTEN,
  "client.submit": once(ONE_ATTEMPT),
  "client.replay": never("this provider does not answer a replay"),
  "client.search": never(CLEAR),
  "client.query": OFTEN,
  "client.cancel": never("nobody cancels"),
  "artifacts.fetch": once("the first fetch succeeds"),
  "slots.take": OFTEN,
  "slots.release": OFTEN,
  "unsent.note": never("only a fault of Postgres loses the answer to a mark"),
  "unsent.forget": once(ONE_ATTEMPT),
  "unsent.has": never(CLEAR),
  "journal.decided": OFTEN,
  "journal.called": OFTEN,
  pause: OFTEN,
  random: OFTEN,
  "late.books.due": NOT_GIVEN_UP,
  "late.books.noteVisit": NOT_GIVEN_UP,
  "late.books.noteClaim": NOT_GIVEN_UP,
  "late.books.markFound": NOT_GIVEN_UP,
  "late.books.noteWatch": NOT_GIVEN_UP,
  "late.books.close": NOT_GIVEN_UP,
  "late.tasks.get": NOT_GIVEN_UP,
  "late.provider": NOT_GIVEN_UP,
  "late.client.submit": NOT_LATE,
  "late.client.replay": NOT_LATE,
  "late.client.search": NOT_GIVEN_UP,
  "late.client.query": NOT_GIVEN_UP,
  "late.client.cancel": NOT_GIVEN_UP,
  "late.artifacts.fetch": NOT_GIVEN_UP,
  "late.slots.take": NOT_GIVEN_UP,
  "late.slots.release": NOT_GIVEN_UP,
  "late.journal.decided": never("a visit decides nothing about a task"),
  "late.journal.called": NOT_GIVEN_UP,
  "late.random": NOT_GIVEN_UP,
};

/** All of them, in the order of the table. */
export const PORT_CALLS = Object.keys(ORDINARY) as readonly PortCall[];
