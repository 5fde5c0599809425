// Replicas of the operator, of which one leads. Each leader is killed a while after it began to lead, and a new process
// takes its place in the fleet: so no process ever ends in good order, and every one of them has worked.
import type { Installation } from "./installation.ts";
import { startOperator } from "./process.ts";
import type { OperatorProcess } from "./process.ts";

export interface Fleet {
  /** Leaders killed so far. */
  kills(): number;
  /** No more killing; SIGTERM to all. The exit codes of those that were left. */
  stop(): Promise<readonly (number | NodeJS.Signals)[]>;
}

export interface FleetOptions {
  readonly replicas: number;
  /** From the moment a process leads to its SIGKILL. */
  readonly leaderLivesMs: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly logFile: string;
}

interface State {
  readonly members: Set<OperatorProcess>;
  readonly ending: AbortController;
  kills: number;
}

export function startFleet(installation: Installation, options: FleetOptions): Fleet {
  const state: State = { members: new Set(), ending: new AbortController(), kills: 0 };
  for (let count = 0; count < options.replicas; count += 1) add(state, installation, options);
  return {
    kills: () => state.kills,
    stop: () => {
      state.ending.abort(new Error("the fleet is stopped"));
      return Promise.all([...state.members].map((process) => process.stop()));
    },
  };
}

function add(state: State, installation: Installation, options: FleetOptions): void {
  const process = startOperator(installation, options);
  state.members.add(process);
  void process.ended.then(() => {
    state.members.delete(process);
    if (!state.ending.signal.aborted) add(state, installation, options);
  });
  const doom = (): void => {
    if (state.ending.signal.aborted) return;
    state.kills += 1;
    process.kill("SIGKILL");
  };
  process
    .logged(({ event }) => event === "leader.started", state.ending.signal)
    .then(
      () => setTimeout(doom, options.leaderLivesMs).unref(),
      () => undefined, // it ended without ever having led, or the fleet is stopped
    );
}
