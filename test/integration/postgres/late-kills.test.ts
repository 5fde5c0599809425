// A late job is paid for once, wherever the process that looks for it dies: the next one goes on from what is written.
import { describe, expect, test } from "@jest/globals";
import { makeLateBooks } from "../../../operator/postgres/late.ts";
import type { LateDeps } from "../../../operator/reconcile/late-job.ts";
import type { Epoch } from "../../../operator/task/brand.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";
import { COST, claim, loseJob, owed, rowOf, visitToEnd } from "./late-world.ts";
import type { Lost } from "./late-world.ts";

let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ desk } = opened));

describe("killed before or after any step", () => {
  class Killed extends Error {}

  interface Kill {
    readonly effect: string;
    readonly moment: "before" | "after";
    readonly call: 1 | 2;
  }

  /** The same, of a process that dies there once. */
  function dying<Port extends object>(
    port: string,
    target: Port,
    kill: Kill,
    seen: { calls: number; died: boolean },
  ): Port {
    return new Proxy(target, {
      get: (object, name, receiver) => {
        const value: unknown = Reflect.get(object, name, receiver);
        if (typeof value !== "function" || `${port}.${String(name)}` !== kill.effect) return value;
        return async (...values: readonly unknown[]): Promise<unknown> => {
          seen.calls += 1;
          const dies = seen.calls === kill.call && !seen.died;
          if (dies) seen.died = true;
          if (dies && kill.moment === "before") throw new Killed();
          const result: unknown = await (value as (...given: readonly unknown[]) => unknown)(...values);
          if (dies) throw new Killed();
          return result;
        };
      },
    });
  }

  const LIVES = [
    {
      life: "cancelled",
      options: { script: { runs: 4 }, capabilities: { lookupByClientID: true, cancel: "Request" } },
      cost: 0n,
      steps: ["due", "markFound", "noteWatch", "close", "search", "query", "cancel"],
    },
    {
      life: "shown late, and watched to its success",
      options: { script: { runs: 2, lookUpLagMs: 1500 }, capabilities: { correlate: "Exact" } },
      cost: COST,
      steps: ["noteVisit", "markFound", "noteWatch", "close", "search"],
    },
    {
      life: "kept",
      options: {
        script: { runs: 1 },
        capabilities: { lookupByClientID: true },
        unknown: { lateJobs: "Keep" },
        wish: { uid: "uid-1" },
      },
      cost: COST,
      steps: ["fetch", "close"],
    },
    {
      life: "named by a webhook",
      options: { script: { runs: 1, queryErrors: 2 }, capabilities: { webhookAdoption: true } },
      cost: COST,
      steps: ["noteClaim", "markFound", "close"],
    },
  ] as const;
  const CASES = LIVES.flatMap(({ steps, ...life }) => steps.map((step) => ({ ...life, step })));

  test.each(CASES)(
    "I5: a late job that is $life is owed once, whenever $step is the last that is done",
    async ({ cost, life, options, step }) => {
      let deaths = 0;
      for (const moment of ["before", "after"] as const) {
        for (const call of [1, 2] as const) {
          const lost = await loseJob(desk, options);
          if (life === "named by a webhook") await claim(lost);
          deaths += (await dieAndGoOn(lost, { effect: `${portOf(step)}.${step}`, moment, call })) ? 1 : 0;
          expect([moment, call, await owed(lost), (await rowOf(lost))?.state]).toEqual([moment, call, cost, "over"]);
          expect(lost.fake.submits()).toBe(1);
        }
      }
      expect(deaths).toBeGreaterThanOrEqual(2);
    },
  );

  test("every step of the books is among them, and they are right", async () => {
    const steps = new Set<string>(CASES.map(({ step }) => step));
    expect(Object.keys(makeLateBooks(desk.pool, () => desk.epoch)).filter((step) => !steps.has(step))).toEqual([]);
    expect(await desk.problems()).toEqual([]);
  });

  function portOf(step: string): "artifacts" | "books" | "client" {
    if (step === "fetch") return "artifacts";
    return step in makeLateBooks(desk.pool, () => desk.epoch) ? "books" : "client";
  }

  /** Whether it died; then the next leader goes on. */
  async function dieAndGoOn(lost: Lost, kill: Kill): Promise<boolean> {
    const seen = { calls: 0, died: false };
    const artifacts = dying("artifacts", lost.deps.artifacts, kill, seen);
    const client = dying("client", lost.fake, kill, seen);
    const provider: LateDeps["provider"] = (due) => {
      const account = lost.deps.provider(due);
      return account && { ...account, client };
    };
    const leader = (term: Epoch): Lost => ({
      ...lost,
      deps: {
        ...lost.deps,
        provider,
        artifacts,
        books: dying(
          "books",
          makeLateBooks(desk.pool, () => term),
          kill,
          seen,
        ),
      },
    });
    await visitToEnd(leader(desk.epoch)).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
    if (!seen.died) return false;
    desk = await openDesk(desk.pool);
    await visitToEnd(leader(desk.epoch));
    return true;
  }
});
