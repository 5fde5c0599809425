// The provider's own truth in one place. Tests judge by this, never by what the operator believes.
import type { DatabaseSync } from "node:sqlite";
import { makeBills, type Bills } from "./bills.ts";
import { atomically, clearDatabase, openDatabase } from "./database.ts";
import { makeEvents, type Events } from "./events.ts";
import { makeJobs, type Jobs } from "./jobs.ts";
import { makeRequests, type Requests } from "./requests.ts";
import { makeServed, type Served } from "./served.ts";
import { makeSettings, type Settings } from "./settings.ts";
import { makeWebhooks, type Webhooks } from "./webhooks.ts";

export interface ProviderRecord {
  readonly bills: Bills;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly requests: Requests;
  readonly served: Served;
  readonly settings: Settings;
  readonly webhooks: Webhooks;
  /** All of `work` is recorded, or nothing of it. */
  atomically<T>(work: () => T): T;
  /** Forgets everything, the settings included. */
  clear(): void;
  close(): void;
}

export function openRecord(dataDir: string): ProviderRecord {
  const db: DatabaseSync = openDatabase(dataDir);
  const settings = makeSettings(db);

  return {
    bills: makeBills(db),
    events: makeEvents(db),
    jobs: makeJobs(db),
    requests: makeRequests(db),
    served: makeServed(db),
    settings,
    webhooks: makeWebhooks(db),
    atomically: (work) => atomically(db, work),
    clear: () => {
      clearDatabase(db);
      settings.reload();
    },
    close: () => {
      db.close();
    },
  };
}
