// The probes and scrapes of a process without watches: alive while it answers, ready when all its parts are.
import { startObserveServer, type ObservedParts } from "../observe/http.ts";
import type { Part } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { untilAborted } from "../runtime/signals.ts";

export interface PlainHealth {
  readonly at: { readonly host: string; readonly port: number };
  readonly log: Log;
  readonly isReady: () => boolean;
  readonly scrape: ObservedParts["scrape"];
}

/** The first to start and the last to stop: it must tell of the others. */
export function plainHealthPart({ at, isReady, log, scrape }: PlainHealth): Part {
  const verdict = (isWell: boolean): ReturnType<ObservedParts["live"]> => ({ isWell, problems: [] });
  return {
    name: "health",
    run: async ({ stop }, ready) => {
      const server = await startObserveServer(at, {
        live: () => verdict(true),
        ready: () => verdict(isReady()),
        scrape,
      });
      log("info", "health.listening", { port: server.port });
      ready();
      await untilAborted(stop);
      await server.close();
    },
  };
}
