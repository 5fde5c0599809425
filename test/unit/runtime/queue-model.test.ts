// The queue against its model, and the proof that the model would notice: planted faults are found by it.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { makeQueue } from "../../../operator/runtime/queue.ts";
import { queueFollowsModel } from "./queue-model.ts";

const RUNTIME = new URL("../../../operator/runtime/", import.meta.url).pathname;
const RUNS = 200;

test("whatever is asked of it, in whatever order, the queue does what its model says", async () => {
  await fc.assert(queueFollowsModel(makeQueue), { numRuns: RUNS });
}, 60_000);

interface Mutant {
  readonly fault: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const MUTANTS: readonly Mutant[] = [
  {
    fault: "the latest wish for a key wins, not the earliest",
    file: "lanes.ts",
    from: "Math.min(a.dueMs, b.dueMs)",
    to: "b.dueMs",
  },
  {
    fault: "a live event does not lift a key out of the background",
    file: "lanes.ts",
    from: 'a.priority === "live" || b.priority === "live"',
    to: 'a.priority === "live"',
  },
  {
    fault: "the background starves while live work waits",
    file: "lanes.ts",
    from: 'turns === 0 ? "background" : "live"',
    to: '"live"',
  },
  {
    fault: "a key that is ready waits a second time",
    file: "lanes.ts",
    from: "if (lines.live.get(wish.key)) return;",
    to: "",
  },
  {
    fault: "two workers get the same key",
    file: "queue.ts",
    from: "if (flight) flight.again = mergeWishes(flight.again ?? wish, wish);\n  else lanes.put(wish);",
    to: "lanes.put(wish);",
  },
  {
    fault: "what happened during a pass is forgotten",
    file: "queue.ts",
    from: "if (state.isDown || !flight.again) return;",
    to: "return;",
  },
  {
    fault: "the backoff does not grow",
    file: "queue.ts",
    from: "faults.set(key, attempt + 1);",
    to: "faults.set(key, attempt);",
  },
  {
    fault: "a key is handed out after the shutdown",
    file: "queue.ts",
    from: "if (state.isDown) return Promise.resolve(undefined);",
    to: "",
  },
  {
    fault: "the heap lets a later item rise",
    file: "heap.ts",
    from: "!tree.before(item, parent)",
    to: "tree.before(item, parent)",
  },
  {
    fault: "the alarm is not set again for an earlier key",
    file: "queue.ts",
    from: "if (dueMs === state.alarm?.dueMs) return;",
    to: "if (state.alarm) return;",
  },
];

describe("the model finds a queue in which", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "queue-mutants-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each(MUTANTS)(
    "$fault",
    async ({ fault, file, from, to }) => {
      const copy = join(folder, fault.replaceAll(/\W+/g, "-"));
      await cp(RUNTIME, copy, { recursive: true });
      const source = await readFile(join(copy, file), "utf8");
      expect(source.split(from)).toHaveLength(2); // the fault is planted exactly once
      await writeFile(join(copy, file), source.replace(from, to));

      const mutated = (await import(join(copy, "queue.ts"))) as { readonly makeQueue: typeof makeQueue };
      const result = await fc.check(queueFollowsModel(mutated.makeQueue), {
        numRuns: RUNS,
        seed: 20_301,
        endOnFailure: true,
      });
      expect(result.failed).toBe(true);
    },
    60_000,
  );
});
