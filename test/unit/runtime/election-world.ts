// Processes that stand for election against one Lease.
import {
  makeElector,
  type Elector,
  type ElectorDeps,
  type ElectorEnd,
  type Term,
} from "../../../operator/runtime/elector.ts";
import { makeLeaseServer, makeProcess, type LeaseServer, type Process } from "./lease-server.ts";
import { makeManualClock, settle, type ManualClock } from "./manual-clock.ts";

export interface Candidate {
  readonly elector: Elector;
  readonly process: Process;
  readonly terms: Term[];
  readonly lost: unknown[];
  readonly stop: () => void;
  readonly force: () => void;
  /** Lets the leader's work end, after a stop. */
  readonly drained: () => void;
  readonly end: () => ElectorEnd | "failed" | undefined;
}

/** Outlives its processes. */
export class World {
  readonly clock: ManualClock = makeManualClock();
  readonly server: LeaseServer = makeLeaseServer();
  readonly candidates: Candidate[] = [];

  /** A process that stands for election. Its work ends with `stop`, or with `drained` when `drains`. */
  async join(
    identity: string,
    options: { skewMs?: number; drains?: boolean } & Partial<ElectorDeps> = {},
  ): Promise<Candidate> {
    const { skewMs, drains, ...deps } = options;
    const process = makeProcess(this.clock, skewMs);
    const [stop, force] = [new AbortController(), new AbortController()];
    const drained = Promise.withResolvers<undefined>();
    const terms: Term[] = [];
    const lost: unknown[] = [];
    let end: ElectorEnd | "failed" | undefined;
    const elector = makeElector({
      ...{ transport: this.server.transport(process), namespace: "ns", name: "lease", identity, clock: process },
      random: () => 0.5,
      onStartedLeading: (term, signal) => {
        terms.push(term);
        signal.addEventListener("abort", () => lost.push(signal.reason));
        if (!drains) stop.signal.addEventListener("abort", () => drained.resolve(undefined));
        return drained.promise;
      },
      ...deps,
    });
    void elector.run({ stop: stop.signal, force: force.signal }).then(
      (value) => (end = value),
      () => (end = "failed"),
    );
    await settle();
    const candidate: Candidate = {
      ...{ elector, process, terms, lost },
      stop: () => stop.abort(new Error("stop")),
      force: () => force.abort(new Error("force")),
      drained: () => drained.resolve(undefined),
      end: () => end,
    };
    this.candidates.push(candidate);
    return candidate;
  }

  /** Ends every process. */
  async close(): Promise<void> {
    for (const { force, stop, process } of this.candidates) {
      process.goOn();
      stop();
      force();
    }
    await this.clock.advance(60_000);
  }

  leaders(): number {
    return this.candidates.filter(({ elector }) => elector.isLeading()).length;
  }
}
