// The shim's own metrics, declared once. docs/reference/rest.md is held to this table by a test.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { PROBLEMS, type ProblemCode } from "./problems.ts";

export const SHIM_METRICS = {
  requests: {
    name: "genop_rest_requests_total",
    kind: "counter",
    labels: ["route", "status"],
    help: "Requests by route and status of the answer.",
  },
  seconds: {
    name: "genop_rest_request_seconds",
    kind: "histogram",
    labels: ["route"],
    help: "From the end of the headers to the end of the answer; streams are not in it.",
  },
  refused: {
    name: "genop_rest_intake_refused_total",
    kind: "counter",
    labels: ["problem"],
    help: "New tasks that were not taken, by problem.",
  },
  underWay: {
    name: "genop_rest_requests_under_way",
    kind: "gauge",
    labels: [],
    help: "Requests that are being answered, streams not among them.",
  },
  streams: { name: "genop_rest_streams", kind: "gauge", labels: [], help: "Event streams that are open." },
  connections: { name: "genop_rest_connections", kind: "gauge", labels: [], help: "Connections of clients." },
  backlog: {
    name: "genop_rest_backlog_tasks",
    kind: "gauge",
    labels: [],
    help: "Tasks of all namespaces that wait, as the watch has them.",
  },
  untaken: {
    name: "genop_rest_untaken_seconds",
    kind: "gauge",
    labels: [],
    help: "How long the operator has not taken up a new task that is there; 0 when it has taken all.",
  },
  books: {
    name: "genop_rest_books_down",
    kind: "gauge",
    labels: [],
    help: "1 while the operator tells that its database does not answer.",
  },
} as const satisfies Record<
  string,
  { readonly name: string; readonly kind: string; readonly labels: readonly string[]; readonly help: string }
>;

export interface Measured {
  readonly connections: number;
  readonly streams: number;
  readonly underWay: number;
  readonly backlog: number;
  readonly untakenMs: number;
  readonly areBooksDown: boolean;
}

export interface ShimMetrics {
  answered(route: string, status: number, seconds: number | undefined): void;
  refused(code: ProblemCode): void;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const REFUSALS = ["backlog-full", "books-unavailable", "too-many-requests"] as const satisfies readonly ProblemCode[];

/** `measure` is asked at each scrape. */
export function makeShimMetrics(registry: Registry, measure: () => Measured): ShimMetrics {
  const of = (key: keyof typeof SHIM_METRICS) => {
    const { help, labels, name } = SHIM_METRICS[key];
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  const requests = new Counter(of("requests"));
  const seconds = new Histogram({ ...of("seconds"), buckets: SECONDS });
  const refused = new Counter(of("refused"));
  for (const problem of REFUSALS) refused.inc({ problem }, 0);

  const gauge = (key: keyof typeof SHIM_METRICS, read: (measured: Measured) => number): void => {
    new Gauge({
      ...of(key),
      collect: function (this: Gauge) {
        this.set(read(measure()));
      },
    });
  };
  gauge("underWay", ({ underWay }) => underWay);
  gauge("streams", ({ streams }) => streams);
  gauge("connections", ({ connections }) => connections);
  gauge("backlog", ({ backlog }) => backlog);
  gauge("untaken", ({ untakenMs }) => untakenMs / 1000);
  gauge("books", ({ areBooksDown }) => (areBooksDown ? 1 : 0));

  return {
    answered: (route, status, took) => {
      requests.inc({ route, status: String(status) });
      if (took !== undefined) seconds.observe({ route }, took);
    },
    refused: (problem) => {
      if (Object.hasOwn(PROBLEMS, problem)) refused.inc({ problem });
    },
  };
}
