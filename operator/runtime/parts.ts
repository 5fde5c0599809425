// What a process of controllers is usually made of, as parts of a lifecycle. Each only ties two things together.
import type { Controller } from "./controller.ts";
import { makeElector, type ElectorDeps, type Term } from "./elector.ts";
import type { Part } from "./lifecycle.ts";
import type { Recorder } from "./recorder.ts";
import type { Reflector } from "./reflector.ts";
import type { Signals } from "./signals.ts";

/** Ready when every cache is whole; keeps them so until stopped. */
export function cachesPart(reflectors: readonly Pick<Reflector<unknown>, "run" | "whenSynced">[]): Part {
  return {
    name: "caches",
    run: async ({ stop }, ready) => {
      const running = Promise.all(reflectors.map((reflector) => reflector.run(stop)));
      const synced = Promise.all(reflectors.map((reflector) => reflector.whenSynced(stop)));
      void synced.then(ready, () => undefined); // stopped before
      await running;
    },
  };
}

/** Ready at once. */
export function recorderPart(recorder: Pick<Recorder, "run">): Part {
  return {
    name: "events",
    run: async (signals, ready) => {
      ready();
      await recorder.run(signals);
    },
  };
}

/** A controller that every replica runs. Ready at once; `close` comes after its last pass. */
export function controllerPart(controller: Pick<Controller, "name" | "run">, close: () => Promise<void>): Part {
  return {
    name: controller.name,
    run: async (signals, ready) => {
      ready();
      await controller.run(signals);
      await close();
    },
  };
}

export interface LeaderPart extends Part {
  /** See Elector. */
  isLeading(): boolean;
}

export interface LeaderPartDeps extends Omit<ElectorDeps, "onStartedLeading"> {
  /** The work of the leader, until `stop`. `force` is aborted too when the leadership is lost. */
  readonly work: (signals: Signals, term: Term) => Promise<void>;
}

/** Ready at once: a follower is as ready as a leader. Fails when the leadership is lost, so that the process ends. */
export function leaderPart({ work, ...deps }: LeaderPartDeps): LeaderPart {
  let signals: Signals | undefined;
  const elector = makeElector({
    ...deps,
    onStartedLeading: async (term, lost) => {
      if (signals) await work({ stop: signals.stop, force: AbortSignal.any([signals.force, lost]) }, term);
    },
  });
  return {
    name: "leader",
    isLeading: () => elector.isLeading(),
    run: async (given, ready) => {
      signals = given;
      ready();
      if ((await elector.run(given)) === "lost") throw new Error("cannot lead any longer: the lease was lost");
    },
  };
}
