import { expect, test } from "@jest/globals";
import { observeKube } from "../../../operator/kube/gauges.ts";
import type { QuotaStanding } from "../../../operator/kube/quota.ts";
import { cachedTask } from "../../../operator/kube/task-object.ts";
import { makeMetrics } from "../../../operator/observe/metrics.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { wireTask } from "./objects.ts";

const minute = (count: number): string => new Date(Date.UTC(2026, 10, 30, 12, count)).toISOString();
const task = (phase: string | undefined, created: number, spec = {}): ReturnType<typeof cachedTask> =>
  cachedTask(wireTask({ metadata: { creationTimestamp: minute(created) }, status: phase && { phase }, spec }));

test("what the caches hold is what a scrape shows", async () => {
  const metrics = makeMetrics();
  const list = [
    task(undefined, 10),
    task("Pending", 5),
    task("Polling", 1),
    task("Polling", 9),
    task("Succeeded", 0),
    task("NeedsReview", 3),
    task("Rejected", 2, { model: "" }),
  ];
  const standings: Record<string, QuotaStanding> = {
    acme: { state: "limited", message: "" },
    plain: { state: "unlimited", message: "" },
  };
  observeKube(metrics, {
    tasks: { list: () => list },
    providers: {
      ready: () =>
        new Map([
          ["acme", true],
          ["plain", false],
        ]),
    },
    quotas: {
      problems: () => new Map([["other", "cannot use quota other"]]),
      standing: (name) => standings[name] ?? { state: "unread", message: "" },
    },
    clock: { ...systemClock, date: () => new Date(minute(11)) },
  });

  const shown = (await metrics.scrape()).text
    .split("\n")
    .filter((line) => /^genop_(task|quota|provider)/.test(line) && !line.endsWith(" 0"));
  expect(shown).toEqual([
    'genop_tasks{phase="Pending"} 2',
    'genop_tasks{phase="Polling"} 2',
    'genop_tasks{phase="Succeeded"} 1',
    'genop_tasks{phase="Rejected"} 1',
    'genop_tasks{phase="NeedsReview"} 1',
    'genop_task_oldest_seconds{phase="Pending"} 360',
    'genop_task_oldest_seconds{phase="Polling"} 600',
    'genop_task_oldest_seconds{phase="NeedsReview"} 480',
    "genop_quota_problems 1",
    "genop_quota_unlimited_providers 1",
    'genop_provider_ready{provider="acme"} 1',
  ]);
});
