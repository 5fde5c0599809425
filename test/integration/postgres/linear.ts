// Whether a history of calls on one account can be told as a story in which each call happened at one moment between its
// begin and its answer (linearizability). Calls whose answer was lost may have happened at any time after their begin, or never.
// The search is Wing and Gong's, with the states that were seen remembered.

export type Call =
  | {
      readonly type: "reserve";
      readonly key: string;
      readonly amount: bigint;
      readonly answer: "begun" | "short" | "stale";
    }
  | { readonly type: "end"; readonly key: string; readonly charge: bigint; readonly answer: "done" | "stale" }
  | { readonly type: "look"; readonly key: string; readonly answer: "none" | "live" | "ended" }
  | { readonly type: "read"; readonly answer: { readonly available: bigint; readonly held: bigint } };

/** Moments are places in one order of all begins and answers, not times. */
export interface Recorded {
  readonly call: Call;
  /** The answer in `call` is a guess at what it did, if it did anything. */
  readonly isUnknown: boolean;
  readonly begunAt: number;
  readonly answeredAt: number;
}

interface State {
  readonly available: bigint;
  readonly held: bigint;
  readonly holds: ReadonlyMap<string, { readonly amount: bigint; readonly charge: bigint | undefined }>;
}

const MAX_STATES = 500_000;

/** How far a story has been told: all known calls before `first`, some after it, and some of those whose answer was lost. */
interface Told {
  readonly first: number;
  readonly beyond: readonly number[];
  readonly lost: readonly number[];
  readonly state: State;
}

interface History {
  /** In the order of their answers. */
  readonly known: readonly Recorded[];
  readonly lost: readonly Recorded[];
}

/** Throws when the search does not end: the history is too large or too uncertain to be judged. */
export function isLinearizable(calls: readonly Recorded[], available: bigint): boolean {
  const history: History = {
    known: calls.filter(({ isUnknown }) => !isUnknown).sort((one, other) => one.answeredAt - other.answeredAt),
    lost: calls.filter(({ isUnknown }) => isUnknown),
  };
  const start: Told = { first: 0, beyond: [], lost: [], state: { available, held: 0n, holds: new Map() } };
  const seen = new Set<string>();
  // The last one first: what was answered first is tried first.
  const open: Told[] = [start];
  for (let told = open.pop(); told; told = open.pop()) {
    if (told.first === history.known.length) return true;
    const name = nameOf(told);
    if (seen.has(name)) continue;
    if (seen.size > MAX_STATES) throw new Error("gave up: the history has too many possible orders");
    seen.add(name);
    open.push(...continuations(history, told).reverse());
  }
  return false;
}

function nameOf({ beyond, first, lost, state }: Told): string {
  return `${first} ${beyond.join()} ${lost.join()} ${state.available} ${state.held}`;
}

/** Every call that may be the next one: it began before any that is not told yet had its answer. */
function continuations({ known, lost }: History, told: Told): Told[] {
  const firstAnswer = known[told.first]?.answeredAt ?? Infinity;
  const isOpen = ({ begunAt }: Recorded): boolean => begunAt <= firstAnswer;
  const places = [...known.keys()].slice(told.first).filter((place) => !told.beyond.includes(place));
  const lostPlaces = [...lost.keys()].filter((place) => !told.lost.includes(place));
  return [
    ...tellEach(known, places, { told, isOpen, tell: (place) => withKnown(told, place) }),
    ...tellEach(lost, lostPlaces, { told, isOpen, tell: (place) => ({ lost: inOrder([...told.lost, place]) }) }),
  ];
}

interface Telling {
  readonly told: Told;
  readonly isOpen: (recorded: Recorded) => boolean;
  readonly tell: (place: number) => Partial<Told>;
}

function tellEach(calls: readonly Recorded[], places: readonly number[], { isOpen, tell, told }: Telling): Told[] {
  return places.flatMap((place) => {
    const recorded = calls[place];
    const state = recorded && isOpen(recorded) ? after(told.state, recorded) : undefined;
    return state ? [{ ...told, ...tell(place), state }] : [];
  });
}

const inOrder = (places: Iterable<number>): number[] => [...places].sort((one, other) => one - other);

function withKnown({ beyond, first }: Told, place: number): Pick<Told, "first" | "beyond"> {
  const rest = new Set([...beyond, place]);
  let next = first;
  while (rest.delete(next)) next += 1;
  return { first: next, beyond: inOrder(rest) };
}

/**
 * The account after the call, or undefined when it can't have answered so in this state. A call whose answer was lost and
 * that would change nothing here need not be placed at all.
 */
function after(state: State, { call, isUnknown }: Recorded): State | undefined {
  switch (call.type) {
    case "read":
      return call.answer.available === state.available && call.answer.held === state.held ? state : undefined;
    case "look":
      return call.answer === lookAt(state, call.key) ? state : undefined;
    case "reserve":
      return afterReserve(state, call, isUnknown);
    case "end":
      return afterEnd(state, call, isUnknown);
  }
}

function lookAt({ holds }: State, key: string): "none" | "live" | "ended" {
  const hold = holds.get(key);
  if (!hold) return "none";
  return hold.charge === undefined ? "live" : "ended";
}

type Of<Type extends Call["type"]> = Extract<Call, { readonly type: Type }>;

function afterReserve(state: State, { amount, answer, key }: Of<"reserve">, isUnknown: boolean): State | undefined {
  const { available, held, holds } = state;
  const expected = holds.has(key) ? "stale" : available < amount ? "short" : "begun";
  if (expected !== "begun") return !isUnknown && answer === expected ? state : undefined;
  if (!isUnknown && answer !== "begun") return undefined;
  return {
    available: available - amount,
    held: held + amount,
    holds: new Map(holds).set(key, { amount, charge: undefined }),
  };
}

function afterEnd(state: State, { answer, charge, key }: Of<"end">, isUnknown: boolean): State | undefined {
  const { available, held, holds } = state;
  const hold = holds.get(key);
  const expected = hold && (hold.charge ?? charge) === charge ? "done" : "stale";
  if (!isUnknown && answer !== expected) return undefined;
  if (hold?.charge !== undefined || !hold) return isUnknown ? undefined : state;
  return {
    available: available + hold.amount - charge,
    held: held - hold.amount,
    holds: new Map(holds).set(key, { ...hold, charge }),
  };
}
