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

/** Throws when the search does not end: the history is too large or too uncertain to be judged. */
export function isLinearizable(history: readonly Recorded[], available: bigint): boolean {
  const calls = [...history].sort((one, other) => one.answeredAt - other.answeredAt);
  const seen = new Set<string>();
  const search = (done: bigint, state: State): boolean => {
    const open = calls.flatMap((recorded, place) => (done & (1n << BigInt(place)) ? [] : [{ recorded, place }]));
    const firstAnswer = open.find(({ recorded }) => !recorded.isUnknown)?.recorded.answeredAt;
    if (firstAnswer === undefined) return true;
    return open
      .filter(({ recorded }) => recorded.begunAt < firstAnswer)
      .some(({ place, recorded }) => {
        const next = after(state, recorded);
        if (!next) return false;
        const told = done | (1n << BigInt(place));
        const name = `${told.toString(36)} ${next.available} ${next.held}`;
        if (seen.has(name)) return false;
        if (seen.size > MAX_STATES) throw new Error("gave up: the history has too many possible orders");
        seen.add(name);
        return search(told, next);
      });
  };
  return search(0n, { available, held: 0n, holds: new Map() });
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
