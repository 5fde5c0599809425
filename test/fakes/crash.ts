// Dies right before or right after one effect, once. The names of effects come from the ports themselves, so that a new
// method is covered the day it is added.
import type { Deps } from "../../operator/reconcile/ports.ts";
import { makeUnsent } from "../../operator/reconcile/unsent.ts";
import type { World } from "./world.ts";

export class Crash extends Error {}

export interface CrashPoint {
  /** Such as `books.markSent`. */
  readonly effect: string;
  readonly moment: "before" | "after";
  /** The first call, or the second. */
  readonly call: 1 | 2;
}

type Method = (...values: readonly unknown[]) => unknown;

const PORTS = ["books", "tasks", "artifacts", "client"] as const;
const SYNCHRONOUS: ReadonlySet<string> = new Set([
  "tasks.get",
  "books.record",
  "books.credits",
  "books.claim",
  "books.refusedClaims",
  "books.openHolds",
  "client.submits",
]);

/** Every asynchronous method of every port. */
export function effectsOf(world: World): readonly string[] {
  const ports: Readonly<Record<string, object>> = { ...world.deps, client: world.provider };
  return PORTS.flatMap((port) =>
    Object.entries(ports[port] ?? {})
      .filter(([, value]) => typeof value === "function")
      .map(([method]) => `${port}.${method}`)
      .filter((effect) => !SYNCHRONOUS.has(effect)),
  );
}

/** The dependencies of a process that will die at the point. `died` says whether it did. */
export function crashing(world: World, point: CrashPoint): { readonly deps: Deps; readonly died: () => boolean } {
  let calls = 0;
  let dead = false;
  const wrap = <T extends object>(port: string, target: T): T =>
    new Proxy(target, {
      get: (object, name, receiver) => {
        const value: unknown = Reflect.get(object, name, receiver);
        if (typeof value !== "function" || `${port}.${String(name)}` !== point.effect) return value;
        return async (...values: readonly unknown[]): Promise<unknown> => {
          calls += 1;
          const now = calls === point.call && !dead;
          if (now) dead = true;
          if (now && point.moment === "before") throw new Crash(point.effect);
          const result = await (value as Method)(...values);
          if (now) throw new Crash(point.effect);
          return result;
        };
      },
    });
  const client = wrap("client", world.provider);
  const deps: Deps = {
    ...world.deps,
    // What it knew dies with it.
    unsent: makeUnsent(),
    books: wrap("books", world.deps.books),
    tasks: wrap("tasks", world.deps.tasks),
    artifacts: wrap("artifacts", world.deps.artifacts),
    providers: { see: (name, namespace) => world.deps.providers.see(name, namespace), client: () => client },
  };
  return { deps, died: () => dead };
}
