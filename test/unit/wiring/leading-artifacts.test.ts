import { expect, test } from "@jest/globals";
import type { Artifacts } from "../../../operator/reconcile/ports.ts";
import type { AttemptId, TaskKey } from "../../../operator/task/brand.ts";
import { whileLeading } from "../../../operator/wiring/leading-artifacts.ts";

test("a leader whose term is over by its own clock takes no outputs away: its successor may have published them", async () => {
  const discarded: string[] = [];
  const store: Artifacts = {
    fetch: () => Promise.reject(new Error("not asked for")),
    discard: (id) => Promise.resolve(void discarded.push(id)),
  };
  let leads = true;
  const artifacts = whileLeading(store, () => leads);
  const task = { key: "studio/uid-1" as TaskKey };
  const signal = new AbortController().signal;
  await artifacts.discard("while-it-leads" as AttemptId, task, signal);
  leads = false;
  await expect(artifacts.discard("thawed" as AttemptId, task, signal)).rejects.toThrow("may not write it any more");
  expect(discarded).toEqual(["while-it-leads"]);
});
