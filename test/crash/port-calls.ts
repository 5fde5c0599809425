// Every call that a pass can make on its ports, named by the types of the ports themselves: a port with a new method does
// not compile until it is listed here, and one that has lost a method does not either.
import type { Deps, ProviderClient } from "../../operator/reconcile/ports.ts";

type Methods<Port> = Extract<
  { [Name in keyof Port]: Port[Name] extends (...values: never[]) => unknown ? Name : never }[keyof Port],
  string
>;
type Named<Port extends keyof Deps> = Deps[Port] extends (...values: never[]) => unknown
  ? Port
  : `${Port}.${Methods<Deps[Port]>}`;

/** Such as `books.markSent`; `client.…` is what `providers.client` answers, and `slots.release` what `slots.take` does. */
export type PortCall =
  { [Port in keyof Deps]: Named<Port> }[keyof Deps] | `client.${Methods<ProviderClient>}` | "slots.release";

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
  "artifacts.discard": never("what was staged was published"),
  "slots.take": OFTEN,
  "slots.release": OFTEN,
  "unsent.note": never("only a fault of Postgres loses the answer to a mark"),
  "unsent.forget": once(ONE_ATTEMPT),
  "unsent.has": never(CLEAR),
  "journal.decided": OFTEN,
  "journal.called": OFTEN,
  pause: OFTEN,
  random: OFTEN,
};

/** All of them, in the order of the table. */
export const PORT_CALLS = Object.keys(ORDINARY) as readonly PortCall[];
