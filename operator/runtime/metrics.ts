// The runtime's metrics under the names that dashboards for Kubernetes controllers know, each series present from the
// start. Measures nothing itself.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { makeControllerMetrics } from "./controller-metrics.ts";
import type { ControllerMetrics } from "./controller.ts";
import type { ElectorMetrics } from "./elector.ts";
import type { WatchMetrics } from "./follow.ts";
import type { RecorderMetrics } from "./recorder.ts";
import type { Reflector } from "./reflector.ts";
import type { RestMetrics } from "./sender.ts";

export interface RuntimeMetrics {
  readonly rest: RestMetrics;
  readonly recorder: RecorderMetrics;
  controller(name: string): ControllerMetrics;
  watch(name: string): WatchMetrics;
  elector(name: string): ElectorMetrics;
  /** Shows the reflector's size and age at each scrape. */
  observe(reflector: Observable): void;
}

type Observable = Pick<Reflector<unknown>, "name" | "size" | "heardAgoMs" | "hasSynced">;

const REST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const EVENT_TYPES = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"] as const;
// What a server may answer is not ours to choose: everything else is "Other".
const REASONS = ["Expired", "HistoryWentBack", "Stalled", "Timeout", "TooManyRequests", "Unreachable", "WatchTooShort"];
const DROPS = ["queue", "spam", "refused"] as const;

/** Once per registry. */
export function makeRuntimeMetrics(registry: Registry): RuntimeMetrics {
  return {
    rest: makeRestMetrics(registry),
    recorder: makeRecorderMetrics(registry),
    controller: makeControllerMetrics(registry),
    watch: makeWatchMetrics(registry),
    elector: makeElectorMetrics(registry),
    observe: observing(registry),
  };
}

function makeRestMetrics(registry: Registry): RestMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "rest_client_requests_total",
    help: "Calls to the API server by answer.",
    labelNames: ["code", "method", "host"],
    registers,
  });
  const durations = new Histogram({
    name: "rest_client_request_duration_seconds",
    help: "From sending a call to the beginning of its answer.",
    labelNames: ["verb", "host"],
    buckets: REST_BUCKETS,
    registers,
  });
  return {
    answered: ({ method, host, code, seconds }) => {
      requests.inc({ code, method, host });
      durations.observe({ verb: method, host }, seconds);
    },
  };
}

function makeRecorderMetrics(registry: Registry): RecorderMetrics {
  const events = new Counter({
    name: "runtime_events_total",
    help: "Kubernetes events sent, and dropped by reason.",
    labelNames: ["result"],
    registers: [registry],
  });
  for (const result of ["sent", ...DROPS.map((why) => `dropped_${why}`)]) events.inc({ result }, 0);
  return {
    sent: (happenings) => events.inc({ result: "sent" }, happenings),
    dropped: (why) => events.inc({ result: `dropped_${why}` }),
  };
}

function makeWatchMetrics(registry: Registry): (name: string) => WatchMetrics {
  const counter = (name: string, help: string, label: string[]): Counter =>
    new Counter({ name, help, labelNames: ["name", ...label], registers: [registry] });
  const events = counter("runtime_watch_events_total", "Events of a watch, bookmarks included.", ["type"]);
  const restarts = counter("runtime_watch_restarts_total", "Lists and watches that ended by a fault.", ["reason"]);
  const relists = counter("runtime_watch_relists_total", "Times that a whole collection was read.", []);

  return (name) => {
    for (const type of EVENT_TYPES) events.inc({ name, type }, 0);
    for (const reason of [...REASONS, "Other"]) restarts.inc({ name, reason }, 0);
    relists.inc({ name }, 0);
    return {
      event: (type) => events.inc({ name, type }),
      restarted: (reason) => restarts.inc({ name, reason: REASONS.includes(reason) ? reason : "Other" }),
      relisted: () => relists.inc({ name }),
    };
  };
}

function observing(registry: Registry): (reflector: Observable) => void {
  const reflectors = new Map<string, Observable>();
  const gauge = (name: string, help: string, read: (reflector: Observable) => number): void => {
    const collect = function (this: Gauge): void {
      for (const reflector of reflectors.values()) this.set({ name: reflector.name }, read(reflector));
    };
    new Gauge({ name, help, labelNames: ["name"], registers: [registry], collect });
  };
  gauge("runtime_watch_objects", "Objects in the cache.", (reflector) => reflector.size());
  gauge(
    "runtime_watch_silence_seconds",
    "Since the server last said anything.",
    (reflector) => reflector.heardAgoMs() / 1000,
  );
  gauge("runtime_watch_synced", "1 once the cache was whole.", (reflector) => (reflector.hasSynced() ? 1 : 0));
  return (reflector) => void reflectors.set(reflector.name, reflector);
}

function makeElectorMetrics(registry: Registry): (name: string) => ElectorMetrics {
  const labelNames = ["name"];
  const status = new Gauge({
    name: "leader_election_master_status",
    help: "1 while this process leads.",
    ...{ labelNames, registers: [registry] },
  });
  const slowPaths = new Counter({
    name: "leader_election_slowpath_total",
    help: "Renewals that had to read the lease first.",
    ...{ labelNames, registers: [registry] },
  });
  return (name) => {
    status.set({ name }, 0);
    slowPaths.inc({ name }, 0);
    return { leading: (isLeading) => status.set({ name }, isLeading ? 1 : 0), slowPath: () => slowPaths.inc({ name }) };
  };
}
