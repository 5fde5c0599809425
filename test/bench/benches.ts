// The benches that there are. Each is loaded only when it is asked for.
import type { Bench } from "./bench.ts";

interface Listed {
  /** One line for the usage. */
  readonly about: string;
  load(): Promise<Bench>;
}

export const benches: Readonly<Record<string, Listed>> = {};
