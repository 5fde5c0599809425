// Small parts of the process: what starts after what, and what "ready" means for each.
import type { Caches } from "../kube/caches.ts";
import type { Controller } from "../runtime/controller.ts";
import type { Part } from "../runtime/lifecycle.ts";
import type { Recorder } from "../runtime/recorder.ts";

/** Ready when every cache has seen all there is. */
export function cachesPart(caches: Caches): Part {
  return {
    name: "caches",
    run: async ({ force, stop }, ready) => {
      const until = AbortSignal.any([stop, force]);
      const reflectors = Object.values(caches) as readonly Caches[keyof Caches][];
      const running = Promise.all(reflectors.map((reflector) => reflector.run(until)));
      await Promise.race([running, Promise.all(reflectors.map((reflector) => reflector.whenSynced(until)))]).catch(
        () => undefined,
      );
      if (!until.aborted) ready();
      await running;
    },
  };
}

export function recorderPart(recorder: Recorder): Part {
  return {
    name: "events",
    run: (signals, ready) => {
      ready();
      return recorder.run(signals);
    },
  };
}

/** A controller that every replica runs. `close` comes after its last pass. */
export function workPart(name: string, controller: Controller, close: () => Promise<void>): Part {
  return {
    name,
    run: async (signals, ready) => {
      ready();
      await controller.run(signals);
      await close();
    },
  };
}
