// What becomes of the outputs of a job that turned up after its attempt was given up, where they are to be kept.
import { expect, test } from "@jest/globals";
import { visitLate } from "../../operator/reconcile/late.ts";
import { watchLate } from "../../operator/reconcile/late-job.ts";
import type { LateDeps } from "../../operator/reconcile/late-job.ts";
import type { FetchOrder, LateBooks, LateDue } from "../../operator/reconcile/ports.ts";
import type { AttemptId } from "../../operator/task/brand.ts";
import { micro } from "../../operator/task/credits.ts";
import type { LateIn } from "../../operator/task/late.ts";
import type { FetchOutcome } from "../../operator/task/outcome.ts";
import type { Task } from "../../operator/task/task.ts";
import { JOB, KEY, MINUTE, NOON, after, settings, task } from "../builders/seen.ts";
import { makeFakeProvider } from "../fakes/provider.ts";
import type { FakeProvider, ProviderScript } from "../fakes/provider.ts";
import { NEVER, makeWorld } from "../fakes/world.ts";

const ID = "00000000-0000-4000-8000-000000000001" as AttemptId;
const attempt = { id: ID, number: 1, provider: "acme", model: "m", held: micro(9n), sentAt: NOON };
const late: LateIn<"found"> = {
  ...{ attempt, begunAt: NOON, looks: 0, jobId: JOB, state: "found" as const },
  ...{ foundAt: NOON, cancelAskedAt: undefined, missing: 0 },
};
const owner = { key: KEY, uid: "uid-1", namespace: "studio", name: "sunrise" };
const ASSET = { name: "output-0", uri: "s3://genop/o", mediaType: "image/png", bytes: 9, sha256: "0".repeat(64) };
const INTERRUPTED = { outcome: "interrupted", code: "reset", retryAfterMs: undefined } as const;

interface Case {
  readonly when: string;
  readonly outcome?: FetchOutcome;
  readonly object?: Task | undefined;
  readonly minutes?: number;
  readonly hasSlot?: boolean;
  readonly steps: readonly string[];
}

const PUBLISHED: FetchOutcome = { outcome: "published", assets: [ASSET] };

const CASES: readonly Case[] = [
  { when: "they are copied and listed", outcome: PUBLISHED, steps: ["fetch", "close succeeded with 1"] },
  {
    when: "what is no longer served is done without",
    outcome: { outcome: "expired" },
    steps: ["fetch", "close succeeded with 0"],
  },
  {
    when: "what is not what it should be is not listed",
    outcome: { outcome: "unusable", message: "m" },
    steps: ["fetch", "close succeeded with 0"],
  },
  { when: "a copy that was interrupted is tried again", outcome: INTERRUPTED, steps: ["fetch", "noteWatch"] },
  {
    when: "but not for longer than the provider keeps outputs",
    outcome: INTERRUPTED,
    minutes: 60,
    steps: ["fetch", "close succeeded with 0"],
  },
  { when: "nothing is copied without a slot", hasSlot: false, steps: ["noteWatch"] },
  {
    when: "nothing is copied for an object that is gone",
    object: undefined,
    steps: ["close succeeded with 0"],
  },
  {
    when: "nothing is copied for another object of that name",
    object: task({ uid: "uid-2" }),
    steps: ["close succeeded with 0"],
  },
  {
    when: "nothing is copied for an object on its way out",
    object: task({ deletedAt: NOON }),
    steps: ["close succeeded with 0"],
  },
];

interface Stage {
  readonly told: readonly string[];
  readonly orders: readonly FetchOrder[];
  readonly deps: LateDeps;
  readonly client: FakeProvider;
}

/** A job that is done, and ports that tell what is done for it. */
async function stageFor(
  outcome: FetchOutcome,
  { hasSlot = true, object, script = { runs: 0 } }: Pick<Case, "hasSlot" | "object"> & { script?: ProviderScript },
): Promise<Stage> {
  const told: string[] = [];
  const orders: FetchOrder[] = [];
  const books = {
    noteWatch: () => {
      told.push("noteWatch");
      return Promise.resolve({ outcome: "done" });
    },
    close: (_late, { charge, verdict }, assets) => {
      told.push(`close ${verdict} with ${assets.length}`);
      return Promise.resolve({ outcome: "done", booked: charge });
    },
  } as Partial<LateBooks> as LateBooks;
  const client = makeFakeProvider(() => NOON, script);
  await client.submit({ attemptId: ID, model: "m", input: {}, task: owner }, NEVER);
  const deps: LateDeps = {
    ...makeWorld().deps,
    books,
    provider: () => ({ client, settings: KEEPING }),
    tasks: { get: () => object },
    slots: { take: () => (hasSlot ? () => undefined : undefined) },
    artifacts: {
      fetch: (order) => {
        orders.push(order);
        told.push("fetch");
        return Promise.resolve(outcome);
      },
    },
  };
  return { told, orders, deps, client };
}

const KEEPING = settings({ unknown: { lateJobs: "Keep" } });
const WISHED = task({ wish: { output: { maxBytes: 77 } } });

test.each(CASES)("$when", async ({ hasSlot = true, minutes = 1, outcome = PUBLISHED, steps, ...given }) => {
  const object = "object" in given ? given.object : WISHED;
  const { client, deps, orders, told } = await stageFor(outcome, { hasSlot, object });
  const due: LateDue = { late, nextAt: "", now: after(NOON, minutes * MINUTE), task: owner };
  const news = await watchLate(deps, { client, settings: KEEPING, due, late }, NEVER);
  expect(told).toEqual(steps);
  expect(news !== undefined).toBe(steps.at(-1) !== "noteWatch");
  for (const order of orders) {
    expect(order).toMatchObject({ attempt: { id: ID }, task: owner, limits: { maxBytes: 77 } });
  }
});

const HOUR = 60 * MINUTE;

test.each([
  { how: "its job then failed", script: { end: "failed", runs: 0 }, then: "close failed with 0" },
  { how: "its job has no outputs any more", script: { end: "empty", runs: 0 }, then: "close succeeded with 0" },
  { how: "nothing is to be kept any more", known: settings(), then: "close succeeded with 0" },
  { how: "its time is over", now: after(NOON, 8 * 24 * HOUR), then: "close unended with 0" },
] as const)(
  "the search ends with nothing listed, whatever a copy that was broken off has put in its place, when $how",
  async ({ then, ...given }) => {
    const script: ProviderScript = "script" in given ? given.script : { runs: 0 };
    const known = "known" in given ? given.known : KEEPING;
    const now = "now" in given ? given.now : NOON;
    const { client, deps, told } = await stageFor(PUBLISHED, { object: WISHED, script });
    const due: LateDue = { late, nextAt: "", now, task: owner };
    await visitLate({ ...deps, provider: () => ({ client, settings: known }) }, due, NEVER);
    expect(told).toEqual([then]);
  },
);
