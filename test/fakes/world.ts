// Everything that outlives a crash of the operator, in memory: the object, the books, the provider, the store, the clock.
import { reconcile } from "../../operator/reconcile/reconcile.ts";
import { makeUnsent } from "../../operator/reconcile/unsent.ts";
import type { Deps, Next } from "../../operator/reconcile/ports.ts";
import { NO_BUDGET } from "../../operator/task/budget.ts";
import type { Budget } from "../../operator/task/budget.ts";
import type { TaskStatus } from "../../operator/task/resource.ts";
import type { Task } from "../../operator/task/task.ts";
import { NOON, POLICY, settings, task } from "../builders/seen.ts";
import { makeFakeBooks } from "./books.ts";
import type { Account } from "./shelf.ts";
import type { FakeBooks } from "./books.ts";
import { makeFakeProvider } from "./provider.ts";
import type { FakeProvider, ProviderScript } from "./provider.ts";

export interface WorldOptions extends ProviderScript {
  readonly wish?: Readonly<Record<string, unknown>>;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly credits?: bigint;
  /** Attempts that may be at the provider at once; as many as like unless told. */
  readonly places?: number;
  /** What the namespace may spend; changed by `limit`. */
  readonly budget?: Budget;
  /** What its other tasks have spent, at the first moment. */
  readonly spentByOthers?: bigint;
}

export interface World {
  readonly deps: Deps;
  readonly books: FakeBooks;
  readonly provider: FakeProvider;
  readonly status: () => TaskStatus;
  readonly statuses: readonly TaskStatus[];
  readonly published: ReadonlySet<string>;
  /** Changes the object, as a user would. */
  readonly edit: (changes: Partial<Task> & { readonly wish?: Readonly<Record<string, unknown>> }) => void;
  readonly exists: () => boolean;
  /** Gives the namespace another budget. */
  readonly limit: (budget: Budget) => void;
  /** Lets time go by without a pass. */
  readonly wait: (ms: number) => void;
  /** Takes the object away as one goes whose finalizer was removed by hand. */
  readonly vanish: () => void;
  /** Runs passes, moving the clock instead of waiting, until the task rests or the passes run out. Says how many it took. Stopping: each ends with its first mark. */
  readonly run: (deps?: Deps, passes?: number, isStopping?: () => boolean) => Promise<number>;
}

export const NEVER = new AbortController().signal;
const UNLIMITED = { inFlight: undefined, modelInFlight: undefined, namespaceInFlight: undefined, rate: undefined };

/** What the tasks of one namespace share. */
interface Town {
  readonly clock: { nowMs: number };
  readonly account: Account;
  readonly provider: FakeProvider;
}

interface Stage {
  readonly clock: Town["clock"];
  object: Task | undefined;
  readonly statuses: TaskStatus[];
  readonly published: Set<string>;
}

export function makeWorld(options: WorldOptions = {}): World {
  return worldIn(townFor(options), options, {});
}

/** Two tasks with the same wish, in one town. */
export function makeTwins(options: WorldOptions): readonly [World, World] {
  const town = townFor(options);
  return [
    worldIn(town, options, {}),
    worldIn(town, options, { objectKey: "studio/sunset", name: "sunset", uid: "uid-2" }),
  ];
}

function townFor(options: WorldOptions): Town {
  const clock = { nowMs: NOON.getTime() };
  const provider = makeFakeProvider(() => new Date(clock.nowMs), options);
  const account = {
    available: options.credits ?? 1_000_000n,
    budget: options.budget ?? NO_BUDGET,
    elsewhere: { spent: options.spentByOthers ?? 0n, at: NOON },
    shelves: [],
  };
  return { clock, provider, account };
}

function worldIn({ account, clock, provider }: Town, options: WorldOptions, named: Partial<Task>): World {
  const { places, wish } = options;
  const object = task({ pinnedKey: undefined, finalizer: false, ...(wish && { wish }), ...named });
  const stage: Stage = { clock, object, statuses: [], published: new Set() };
  const now = (): Date => new Date(clock.nowMs);
  const books = makeFakeBooks(now, account);
  const capabilities = options.capabilities ?? { lookupByClientID: true, cancel: "Request" };
  const deps: Deps = {
    books,
    tasks: tasksOf(stage, now),
    quotas: { admission: () => ({ ...UNLIMITED, inFlight: places }), budget: () => account.budget },
    providers: { see: () => ({ state: "ready", settings: settings({ capabilities }) }), client: () => provider },
    artifacts: artifactsOf(stage),
    unsent: makeUnsent(),
    slots: { take: () => () => undefined },
    journal: { decided: () => undefined, called: () => undefined },
    policy: POLICY,
    // Never: no call of this world takes any time.
    pause: () => new Promise(() => undefined),
    random: () => 0.5,
  };
  return {
    deps,
    books,
    provider,
    statuses: stage.statuses,
    published: stage.published,
    run: (using = deps, passes = 400, isStopping = () => false) =>
      runPasses(stage, passes, (signal) => reconcile(using, object.objectKey, signal, isStopping)),
    status: () => stage.object?.reported ?? {},
    exists: () => stage.object !== undefined,
    wait: (ms) => {
      clock.nowMs += ms;
    },
    limit: (budget) => {
      account.budget = budget;
    },
    vanish: () => {
      stage.object = undefined;
    },
    edit: ({ wish, ...changes }) => {
      if (stage.object) stage.object = { ...stage.object, ...changes, spec: { ...stage.object.spec, ...wish } };
    },
  };
}

async function runPasses(stage: Stage, passes: number, run: (signal: AbortSignal) => Promise<Next>): Promise<number> {
  for (let pass = 1; pass <= passes; pass += 1) {
    const next = await run(NEVER);
    if (next === "rest") return pass;
    stage.clock.nowMs += Math.max(1, next.afterMs);
  }
  return passes;
}

function tasksOf(stage: Stage, now: () => Date): Deps["tasks"] {
  const change = (changes: Partial<Task>): Promise<void> => {
    if (stage.object) stage.object = { ...stage.object, ...changes };
    return Promise.resolve();
  };
  return {
    get: () => stage.object,
    exists: () => Promise.resolve(stage.object !== undefined),
    pin: async (_task, key) => {
      await change({ pinnedKey: key, finalizer: true });
      return true;
    },
    report: (_task, status) => {
      stage.statuses.push(status);
      return change({ reported: status });
    },
    letGo: () => {
      stage.object = undefined;
      return Promise.resolve();
    },
    remove: () => change({ deletedAt: now() }),
    input: (one) => Promise.resolve({ outcome: "resolved", input: one.spec.input }),
  };
}

function artifactsOf({ published }: Stage): Deps["artifacts"] {
  return {
    fetch: ({ attempt }) => {
      published.add(attempt.id);
      const uri = `s3://genop/${attempt.id}`;
      const asset = { name: "output-0", uri, mediaType: "image/png", bytes: 9, sha256: "0".repeat(64) };
      return Promise.resolve({ outcome: "published", assets: [asset] });
    },
  };
}
