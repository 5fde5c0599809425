// Who runs when: every contestant once a round, the order turned round each time, so that what drifts hits all alike.

export interface Contestant<T> {
  readonly name: string;
  /** One run, from nothing to nothing; throws when the work was not done. */
  readonly run: (round: number) => Promise<T>;
}

export interface Alternation {
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** What each contestant measured, by name, in the order of the rounds. */
export async function alternate<T>(
  contestants: readonly Contestant<T>[],
  { rounds, signal, say }: Alternation,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const measured = new Map<string, T[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const { name, run } of order) {
      signal.throwIfAborted();
      say(`round ${round + 1} of ${rounds}: ${name}`);
      measured.get(name)?.push(await run(round));
    }
  }
  return measured;
}
