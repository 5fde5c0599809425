// Long calls at once in this process: submits by provider, fetches over all providers.
import type { Slots } from "../reconcile/ports.ts";

export interface SlotLimits {
  readonly submit: (provider: string) => number;
  readonly fetch: number;
}

export function makeSlots(limits: SlotLimits): Slots {
  const taken = new Map<string, number>();
  return {
    take: (kind, provider) => {
      const key = kind === "fetch" ? kind : `${kind} ${provider}`;
      const limit = kind === "fetch" ? limits.fetch : limits.submit(provider);
      const used = taken.get(key) ?? 0;
      if (used >= limit) return undefined;
      taken.set(key, used + 1);
      return once(() => giveBack(taken, key));
    },
  };
}

function giveBack(taken: Map<string, number>, key: string): void {
  const left = (taken.get(key) ?? 1) - 1;
  if (left > 0) taken.set(key, left);
  else taken.delete(key);
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}
