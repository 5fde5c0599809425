// An attempt is shown in the status before its submit: should the database lose it, the status alone keeps it from being submitted
// again. What the submit needs is read meanwhile.
import { expect, test } from "@jest/globals";
import type { Deps } from "../../operator/reconcile/ports.ts";
import { makeWorld } from "../fakes/world.ts";

/** The life of one task, as far as it comes; each call by its name when it begins, and "shown" when the status of an attempt is written. */
function watched(showing: () => Promise<void>): { readonly calls: string[]; readonly run: () => Promise<number> } {
  const world = makeWorld();
  const { books, tasks } = world.deps;
  const calls: string[] = [];
  const report: Deps["tasks"]["report"] = async (task, status, signal) => {
    if (calls.includes("show") || status.attempt === undefined) return tasks.report(task, status, signal);
    calls.push("show");
    await showing();
    calls.push("shown");
    return tasks.report(task, status, signal);
  };
  const input: Deps["tasks"]["input"] = (task, signal) => {
    calls.push("read");
    return tasks.input(task, signal);
  };
  const markSent: Deps["books"]["markSent"] = (...values) => {
    calls.push("mark");
    return books.markSent(...values);
  };
  const deps: Deps = { ...world.deps, books: { ...books, markSent }, tasks: { ...tasks, report, input } };
  return { calls, run: () => world.run(deps) };
}

test("an attempt is marked as sent only once the status shows it, and its input is read meanwhile", async () => {
  const { calls, run } = watched(() => new Promise((resolve) => setImmediate(resolve)));
  await run();
  expect(calls).toEqual(["show", "read", "shown", "mark"]);
});

test("an attempt that cannot be shown is not marked as sent", async () => {
  const { calls, run } = watched(() => Promise.reject(new Error("the API server is gone")));
  await expect(run()).rejects.toThrow("the API server is gone");
  expect(calls).toEqual(["show", "read"]);
});
