// What the faults of reading requests are: a job queried by its id, or jobs looked up and listed. They spoil the answer, never the job.
import { html, refusal, whole, type Delivery, type Reply } from "../api/reply.ts";
import type { JobView } from "../jobs/view.ts";
import type { ListFault, QueryFault } from "../schema/faultNames.ts";
import { unreachable } from "../unreachable.ts";

type Shared = Extract<QueryFault, ListFault>;

const SHARED: Readonly<Record<Shared, (truth: Reply) => Delivery>> = {
  none: whole,
  "rate-limited": () => whole(refusal(429, "rate_limited", "too many requests", { retry_after: 1 })),
  "server-error": () => whole(refusal(500, "internal", "something went wrong")),
  "html-502": () => whole(html(502, "502 Bad Gateway")),
  empty: ({ status, headers }) => whole({ status, headers, body: "" }),
  truncated: (reply) => ({ how: "truncated", reply }),
  reset: () => ({ how: "reset" }),
  silence: () => ({ how: "silence" }),
};

export function deliverQuery(fault: QueryFault, truth: Reply): Delivery {
  if (isShared(fault)) return SHARED[fault](truth);
  if (fault === "not-found-transient") return whole(refusal(404, "not_found", "job not found"));
  if (fault === "unauthorised") return whole(refusal(401, "unauthorised", "the key was revoked"));
  return whole(truth);
}

export function deliverList(fault: ListFault, truth: Reply): Delivery {
  if (isShared(fault)) return SHARED[fault](truth);

  switch (fault) {
    case "not-found":
      return whole(refusal(404, "not_found", "no such endpoint"));
    case "no-items":
      return whole({ ...truth, body: JSON.stringify({ items: [], next_cursor: null }) });
    default:
      return unreachable(fault);
  }
}

/** How far a job seems to fall back. */
const LOST_PROGRESS = 50;

/** The view of a job as this fault distorts it. */
export function distort(fault: QueryFault, view: JobView): JobView {
  switch (fault) {
    case "unknown-status":
      return { ...view, state: "reticulating" };
    case "odd-case":
      return {
        ...view,
        state: view.state === "done" ? "DONE" : view.state.charAt(0).toUpperCase() + view.state.slice(1),
      };
    case "american-cancelled":
      return { ...view, state: view.state.replace("cancelled", "canceled") };
    case "done-without-output":
      return { ...view, state: "done", progress: 100, outputs: [] };
    case "outputs-late":
      return { ...view, outputs: [] };
    case "progress-back":
      return { ...view, progress: Math.max(0, view.progress - LOST_PROGRESS) };
    case "stuck-running":
      return { ...view, state: "running", progress: Math.min(view.progress, 99), outputs: [], error: null };
    default:
      return view;
  }
}

function isShared(fault: QueryFault | ListFault): fault is Shared {
  return fault in SHARED;
}
