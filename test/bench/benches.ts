// The benches that there are. Each is loaded only when it is asked for.
import type { Bench } from "./bench.ts";

interface Listed {
  /** One line for the usage. */
  readonly about: string;
  load(): Promise<Bench>;
}

export const benches: Readonly<Record<string, Listed>> = {
  handoff: {
    about: "how long nobody works when a leader stops, dies or freezes, and what a thawed one still does",
    load: async () => (await import("./handoff/bench.ts")).run,
  },
  ledger: {
    about: "pairs of a hold and its settlement: our ledger, and pgbench with the same statements",
    load: async () => (await import("./ledger/bench.ts")).run,
  },
  lifecycle: {
    about: "tasks from creation to published output: the operator, and a bare loop that makes the same calls",
    load: async () => (await import("./lifecycle/bench.ts")).run,
  },
  runtime: {
    about: "a status write for each new object: our runtime, a bare loop, and the runtimes of others",
    load: async () => (await import("./runtime/bench.ts")).run,
  },
  scale: {
    about: "the whole operator over 100,000 tasks: first sync, stalls, memory, a relist after 410",
    load: async () => (await import("./scale/bench.ts")).run,
  },
  shim: {
    about: "the REST face: creates beside a bare route, idle event streams, and how soon a provider is asked",
    load: async () => (await import("./shim/bench.ts")).run,
  },
  sizing: {
    about: "what operator, Postgres and API server use while 100 and 1,000 jobs run",
    load: async () => (await import("./sizing/bench.ts")).run,
  },
};
