import { MINUTE, NOON, SECOND, after, ended, record, seen, task } from "../../builders/seen.ts";
import { table } from "./decision-table.ts";

const over = {
  record: record({ ended: { phase: "Succeeded", reason: "AssetsPublished", message: "m", at: NOON } }),
} as const;

table("a task that has ended (I4: ends are sticky)", [
  { when: "it rests", seen: seen({ ...over, attempt: ended({ reason: "Succeeded" }) }), then: { type: "rest" } },
  {
    when: "a cancel changes nothing any more",
    seen: seen({ ...over, task: task({ wish: { cancelRequested: true } }) }),
    then: { type: "rest" },
  },
  {
    when: "a deleted one is let go",
    seen: seen({ ...over, task: task({ deletedAt: NOON }) }),
    then: { type: "let-go" },
  },
  {
    when: "a deleted one that we no longer hold rests",
    seen: seen({ ...over, task: task({ deletedAt: NOON, finalizer: false }) }),
    then: { type: "rest" },
  },
  {
    when: "it is removed when its time to live has passed",
    seen: seen({ ...over, now: after(NOON, MINUTE), task: task({ wish: { ttlSecondsAfterFinished: 60 } }) }),
    then: { type: "remove" },
  },
  {
    when: "it stays until then",
    seen: seen({ ...over, now: after(NOON, 59 * SECOND), task: task({ wish: { ttlSecondsAfterFinished: 60 } }) }),
    then: { type: "wait", ms: 1000 },
  },
]);
