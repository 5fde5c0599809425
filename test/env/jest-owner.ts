// Hands what is to be done at the end from jest's global setups to its global teardown. Jest loads them with separate module registries in
// one process, so that only the global object joins them.
type End = () => Promise<void>;
const owned = globalThis as { generationOperatorEnds?: End[] | undefined };

export function keepForTeardown(end: End): void {
  owned.generationOperatorEnds = [...(owned.generationOperatorEnds ?? []), end];
}

/** What ends all that was started, each once. */
export function takeForTeardown(): readonly End[] {
  const ends = owned.generationOperatorEnds ?? [];
  owned.generationOperatorEnds = undefined;
  return ends;
}
