// A round of late searches: whose turn it is, what one that fails does to the others, and what is told.
import { describe, expect, test } from "@jest/globals";
import type { LateBooks, LateDue } from "../../../operator/reconcile/ports.ts";
import type { AttemptId, ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { lateRound, providerOf } from "../../../operator/wiring/late.ts";
import type { LateSearchDeps } from "../../../operator/wiring/late.ts";
import { NOON, settings } from "../../builders/seen.ts";
import { makeFakeProvider } from "../../fakes/provider.ts";
import { makeWorld } from "../../fakes/world.ts";

const NEVER = new AbortController().signal;

function due(provider: string, at: number, state: "searching" | "found" = "searching"): LateDue {
  const id = `${provider}-${at}` as AttemptId;
  const attempt = { id, number: 1, provider, model: "m", held: micro(9n), sentAt: NOON };
  const given = { attempt, begunAt: NOON, looks: 0 };
  const found = {
    state: "found",
    jobId: "job" as ProviderJobId,
    foundAt: NOON,
    cancelAskedAt: undefined,
    missing: 0,
  } as const;
  return {
    late: state === "found" ? { ...given, ...found } : { ...given, state, claim: undefined },
    nextAt: String(at),
    now: NOON,
    task: { key: `studio/${id}` as TaskKey, uid: id, namespace: "studio", name: id },
  };
}

interface Told {
  readonly visited: string[];
  readonly logged: string[];
  readonly counted: string[];
  readonly woken: string[];
}

function roundOf(
  dues: readonly LateDue[],
  changes: Partial<LateSearchDeps> = {},
): { readonly deps: LateSearchDeps; readonly told: Told } {
  const told: Told = { visited: [], logged: [], counted: [], woken: [] };
  const noted = (id: string): Promise<{ readonly outcome: "done" }> => {
    told.visited.push(id);
    return Promise.resolve({ outcome: "done" });
  };
  const books: LateBooks = {
    due: (last, atMost) => {
      const start = last ? dues.indexOf(last) + 1 : 0;
      return Promise.resolve(dues.slice(start, start + atMost));
    },
    noteVisit: ({ attempt }) => noted(attempt.id),
    noteClaim: ({ attempt }) => noted(attempt.id),
    markFound: ({ attempt }) => noted(attempt.id),
    noteWatch: ({ attempt }) => noted(attempt.id),
    close: async ({ attempt }, { charge }) => ({ ...(await noted(attempt.id)), booked: charge }),
  };
  const client = makeFakeProvider(() => NOON, {});
  const known = settings({ capabilities: { lookupByClientID: true } });
  return {
    told,
    deps: {
      ...makeWorld().deps,
      books,
      provider: () => ({ settings: known, client }),
      isOurs: () => true,
      wake: (key) => void told.woken.push(key),
      log: (level, event) => void told.logged.push(`${level} ${event}`),
      metrics: { count: (metric, labels) => void told.counted.push(`${metric} ${JSON.stringify(labels)}`) },
      ...changes,
    },
  };
}

const many = (provider: string, count: number): readonly LateDue[] =>
  Array.from({ length: count }, (_, at) => due(provider, at));

describe("a round", () => {
  test("visits five of each provider, the longest due first, and nobody keeps another provider waiting", async () => {
    const { deps, told } = roundOf([...many("busy", 1200), due("calm", 1)]);
    await lateRound(deps, NEVER);
    expect([...told.visited].sort()).toEqual(["busy-0", "busy-1", "busy-2", "busy-3", "busy-4", "calm-1"]);
  });

  test("leaves other shards' tasks alone, and they keep nobody waiting", async () => {
    const isOurs = (key: string): boolean => key === "studio/calm-1";
    const { deps, told } = roundOf([...many("busy", 1200), due("calm", 1)], { isOurs });
    await lateRound(deps, NEVER);
    expect(told.visited).toEqual(["calm-1"]);
  });

  test("visits at most two hundred", async () => {
    const { deps, told } = roundOf(Array.from({ length: 300 }, (_, at) => due(`p${at}`, at)));
    await lateRound(deps, NEVER);
    expect(told.visited).toHaveLength(200);
  });

  test("goes on when one visit fails, and says so", async () => {
    const { deps, told } = roundOf(many("acme", 3));
    const noteVisit: LateBooks["noteVisit"] = (late, ms) =>
      late.attempt.id === "acme-1" ? Promise.reject(new Error("down")) : deps.books.noteVisit(late, ms);
    await lateRound({ ...deps, books: { ...deps.books, noteVisit } }, NEVER);
    expect([told.visited, told.logged]).toEqual([["acme-0", "acme-2"], ["warn late.failed"]]);
  });

  test("ends with the term: nothing is visited after it was told to stop", async () => {
    const stopped = new AbortController();
    const { deps, told } = roundOf(many("acme", 3));
    const noteVisit: LateBooks["noteVisit"] = (late, ms) => {
      stopped.abort();
      return deps.books.noteVisit(late, ms);
    };
    await lateRound({ ...deps, books: { ...deps.books, noteVisit } }, stopped.signal);
    expect(told.visited).toEqual(["acme-0"]);
  });

  test("tells of a job that was found and of its end, and wakes its task", async () => {
    const client = makeFakeProvider(() => NOON, { runs: 0 });
    const request = {
      attemptId: "acme-1" as AttemptId,
      model: "m",
      input: {},
      task: { namespace: "studio", name: "n", key: "k" as never },
    };
    await client.submit(request, NEVER);
    const known = settings({ capabilities: { lookupByClientID: true } });
    const gone = { ...due("acme", 2, "found"), now: new Date(NOON.getTime() + 8 * 86_400_000) };
    const { deps, told } = roundOf([due("acme", 1), gone], { provider: () => ({ settings: known, client }) });
    await lateRound(deps, NEVER);
    expect(told.logged).toEqual(["warn late.found", "warn late.over"]);
    expect(told.woken).toEqual(["studio/acme-1", "studio/acme-2"]);
    expect(told.counted).toEqual([
      'lateJobs {"provider":"acme","verdict":"found"}',
      'lateJobs {"provider":"acme","verdict":"unended"}',
      'credits {"kind":"lost"}',
    ]);
  });
});

test("a provider that takes nothing new is still asked, and one that is gone or not for this namespace is not", () => {
  const client = makeFakeProvider(() => NOON, {});
  const known = settings();
  const seen = {
    ready: { state: "ready", settings: known },
    broken: { state: "not-ready", settings: known, message: "m" },
    foreign: { state: "not-allowed" },
  } as const;
  const provider = providerOf({
    see: (name) => (name in seen ? seen[name as keyof typeof seen] : { state: "absent" }),
    client: (name) => (name === "gone" ? undefined : client),
  });
  const isAsked = ["ready", "broken", "foreign", "gone"].map((name) => provider(due(name, 1)) !== undefined);
  expect(isAsked).toEqual([true, true, false, false]);
});
