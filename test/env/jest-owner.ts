// Hands the environment from jest's global setup to its global teardown. Jest loads the two with separate module
// registries in one process, so that only the global object joins them.
import type { Environment } from "./environment.ts";

const owned = globalThis as { generationOperatorTestEnvironment?: Environment | undefined };

export function keepForTeardown(environment: Environment): void {
  owned.generationOperatorTestEnvironment = environment;
}

/** The environment to end, once. */
export function takeForTeardown(): Environment | undefined {
  const environment = owned.generationOperatorTestEnvironment;
  owned.generationOperatorTestEnvironment = undefined;
  return environment;
}
