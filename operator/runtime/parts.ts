// What a process of controllers is usually made of, as parts of a lifecycle. Each only ties two things together.
import { makeElector, type ElectorDeps, type Term } from "./elector.ts";
import type { Part } from "./lifecycle.ts";
import type { Recorder } from "./recorder.ts";
import type { Reflector } from "./reflector.ts";
import type { Signals } from "./signals.ts";

/** Ready when the cache is whole; keeps it so until stopped. */
export function reflectorPart(reflector: Pick<Reflector<unknown>, "name" | "run" | "whenSynced">): Part {
  return {
    name: `cache ${reflector.name}`,
    run: async ({ stop }, ready) => {
      const running = reflector.run(stop);
      void reflector.whenSynced(stop).then(ready, () => undefined);
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
      if ((await elector.run(given)) === "lost") throw new Error("the leadership was lost");
    },
  };
}
