// What a pass tells, as log lines and metrics. Names and codes only: no input, URL or answer comes here.
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Journal } from "../reconcile/ports.ts";

export function makeJournal(log: Log, metrics: Pick<Metrics, "count" | "observe">): Journal {
  return {
    decided: (task, action, phase) => {
      metrics.count("decisions", { action, phase });
      if (action !== "wait" && action !== "rest") log("debug", "task.decided", { task, action, phase });
    },
    called: (provider, operation, outcome, seconds) => {
      metrics.count("calls", { provider, operation, outcome });
      metrics.observe("callSeconds", { provider, operation }, seconds);
      log("debug", "provider.called", { provider, operation, outcome, seconds });
    },
  };
}
