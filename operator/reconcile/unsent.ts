// What this process alone knows: attempts whose mark may stand in the books although their request never left. The answer to
// the mark was lost, and no other process sends for a mark of ours. Forgetting one is safe: it is then looked for.
import type { AttemptId } from "../task/brand.ts";

export interface Unsent {
  /** The mark threw: nothing was sent for it. */
  note(id: AttemptId): void;
  /** From now on something may leave for it. */
  forget(id: AttemptId): void;
  has(id: AttemptId): boolean;
}

const MAX_NOTED = 10_000;

/** Memory of one process: never shared, never kept beyond its term. The oldest are forgotten first. */
export function makeUnsent(): Unsent {
  const noted = new Set<AttemptId>();
  return {
    note: (id) => {
      noted.add(id);
      const [oldest] = noted;
      if (noted.size > MAX_NOTED && oldest !== undefined) noted.delete(oldest);
    },
    forget: (id) => {
      noted.delete(id);
    },
    has: (id) => noted.has(id),
  };
}
