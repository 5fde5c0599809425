import { expect } from "@jest/globals";
import { micro } from "../../../operator/task/credits.ts";
import { NOON, SECOND, after, ready, seen, settings, task } from "../../builders/seen.ts";
import { table } from "./decision-table.ts";

table("outputs that wait", [
  { when: "they are fetched", seen: seen({ attempt: ready() }), then: { type: "fetch" } },
  {
    when: "a cancel that comes now comes too late",
    seen: seen({ attempt: ready(), task: task({ wish: { cancelRequested: true } }) }),
    then: { type: "fetch" },
  },
  {
    when: "they are left alone before their time",
    seen: seen({ attempt: ready({ nextFetchAt: after(NOON, SECOND) }) }),
    then: { type: "wait", ms: 1000 },
  },
  {
    when: "a provider that is gone is waited for",
    seen: seen({ attempt: ready(), provider: { state: "absent" } }),
    then: { type: "wait", ms: 15 * SECOND },
  },
  {
    when: "a provider that can't be used just now does not keep paid outputs from being fetched",
    seen: seen({ attempt: ready(), provider: { state: "not-ready", settings: settings(), message: "no credential" } }),
    then: { type: "fetch" },
  },
  {
    when: "a deleted object settles what was billed",
    seen: seen({ attempt: ready(), task: task({ deletedAt: NOON }) }),
    then: {
      type: "end-attempt",
      ending: {
        ...{ reason: "Orphaned", charge: micro(60_000n), retryAfterMs: undefined },
        task: expect.objectContaining({ phase: "Cancelled", reason: "Deleted" }),
      },
    },
  },
  {
    when: "a deleted object settles what was held where nobody says what was billed",
    seen: seen({ attempt: ready({ cost: undefined }), task: task({ deletedAt: NOON }) }),
    then: { type: "end-attempt", ending: expect.objectContaining({ charge: micro(100_000n) }) },
  },
]);
