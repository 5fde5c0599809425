// A running controller whose passes are written down.
import { makeController, type Controller, type ControllerDeps } from "../../../operator/runtime/controller.ts";
import type { Next } from "../../../operator/runtime/pass.ts";
import { makeManualClock, settle, type ManualClock } from "./manual-clock.ts";

export type Work = (key: string, signal: AbortSignal, count: number) => Promise<Next>;

export interface Running {
  readonly controller: Controller;
  readonly clock: ManualClock;
  /** "key@milliseconds since the start", one per pass. */
  readonly passes: string[];
  readonly failed: string[];
  readonly ended: string[];
  readonly logged: string[];
  readonly stop: () => void;
  readonly force: () => void;
  readonly finished: Promise<void>;
  readonly isFinished: () => boolean;
}

/** Content with everything. */
export const rest: Work = () => Promise.resolve("rest");

/** A controller that runs, on a manual clock, and what it did. */
export async function run(work: Work, deps: Partial<ControllerDeps> = {}): Promise<Running> {
  const clock = makeManualClock(0);
  const passes: string[] = [];
  const [failed, ended, logged]: string[][] = [[], [], []];
  const counts = new Map<string, number>();
  const quiet = { added: () => 0, retried: () => 0, taken: () => 0, worked: () => 0 };
  const controller = makeController({
    name: "test",
    reconcile: (key, signal) => {
      passes.push(`${key}@${Math.round(clock.monotonicMs())}`);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return work(key, signal, counts.get(key) ?? 0);
    },
    metrics: {
      queue: quiet,
      observe: () => undefined,
      ended: (result) => void ended?.push(result),
      failed: (kind) => void failed?.push(kind),
    },
    log: (_, event) => void logged?.push(event),
    ...{ clock, random: () => 0.5 },
    ...deps,
  });
  const [stop, force] = [new AbortController(), new AbortController()];
  let isFinished = false;
  const finished = controller.run({ stop: stop.signal, force: force.signal }).then(() => void (isFinished = true));
  await settle();
  return {
    ...{ controller, clock, passes, finished },
    ...{ failed: failed ?? [], ended: ended ?? [], logged: logged ?? [] },
    stop: () => stop.abort(new Error("stop")),
    force: () => force.abort(new Error("force")),
    isFinished: () => isFinished,
  };
}
