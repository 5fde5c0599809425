// Hands what is to be done at the end from jest's global setup to its global teardown, which have separate module registries.
type End = () => Promise<void>;
const owned = globalThis as { generationOperatorPods?: End | undefined };

export function keepForTeardown(end: End): void {
  owned.generationOperatorPods = end;
}

/** What ends the cluster, once. */
export function takeForTeardown(): End | undefined {
  const end = owned.generationOperatorPods;
  owned.generationOperatorPods = undefined;
  return end;
}
