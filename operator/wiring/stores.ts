// The three stores that everything stands on. Each may be down at start: work is then late, and nothing is lost.
import type { Pool } from "pg";
import type { ArtifactStore } from "../artifacts/artifacts.ts";
import type { Config } from "../config.ts";
import { readInstallation } from "../kube/installation.ts";
import type { Log } from "../observe/log.ts";
import { checkDatabase } from "../postgres/installation.ts";
import type { Part } from "../runtime/lifecycle.ts";
import { untilAborted } from "../runtime/signals.ts";
import type { Transport } from "../runtime/transport.ts";
import { untilItWorks } from "./patience.ts";

export interface Stores {
  readonly transport: Transport;
  readonly pool: Pool;
  readonly artifacts: ArtifactStore;
}

/** Ready when all three answer and are what the configuration says. Closes them when it stops, last of all. */
export function storesPart({ artifacts, pool, transport }: Stores, config: Config, log: Log): Part {
  return {
    name: "stores",
    run: async ({ stop }, ready) => {
      const patience = { log, signal: stop };
      const uid = await untilItWorks(
        "the Kubernetes API",
        (signal) => readInstallation(transport, { signal }),
        patience,
      );
      const claim = { clusterUid: uid, adoptFrom: config.ADOPT_INSTALLATION_FROM };
      await untilItWorks("Postgres", (signal) => checkDatabase(pool, claim, signal), patience);
      await untilItWorks("object storage", (signal) => artifacts.checkStore(signal), patience);
      ready();
      await untilAborted(stop);
      await Promise.allSettled([artifacts.close(), transport.close(), pool.end()]);
    },
  };
}
