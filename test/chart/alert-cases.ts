/* eslint max-lines: "off" -- a table, two rows for each alert */
// When each alert of the chart fires, what it says then, and when it is silent: a sample a minute, as promtool writes series.
export interface AlertCase {
  readonly alert: string;
  readonly when: string;
  readonly series: Readonly<Record<string, string>>;
  /** When it is looked at, from the first sample on. */
  readonly at: string;
  readonly fires?: {
    readonly labels: Readonly<Record<string, string>>;
    readonly summary: string;
    readonly description: string;
  };
}

const NS = 'namespace="genop"';
const labels = { namespace: "genop" };

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: "GenopBooksWrong",
    when: "a report has rows for two minutes, whichever replica tells it",
    series: {
      [`genop_ledger_report_rows{${NS},pod="a",report="balance_mismatch"}`]: "0x2 3x10",
      [`genop_ledger_report_rows{${NS},pod="b",report="balance_mismatch"}`]: "0x12",
    },
    at: "6m",
    fires: {
      labels: { ...labels, report: "balance_mismatch" },
      summary: "The ledger report balance_mismatch is not empty",
      description: "3 rows. Money was booked in a way that must never be.",
    },
  },
  {
    alert: "GenopBooksWrong",
    when: "all reports are empty",
    series: { [`genop_ledger_report_rows{${NS},pod="a",report="balance_mismatch"}`]: "0x20" },
    at: "15m",
  },
  {
    alert: "GenopNobodyLeads",
    when: "no replica has had a term of a shard for two minutes",
    series: {
      [`genop_leadership_epoch{${NS},pod="a",shard="0"}`]: "7x3 0x10",
      [`genop_leadership_epoch{${NS},pod="b",shard="0"}`]: "0x13",
    },
    at: "8m",
    fires: {
      labels: { ...labels, shard: "0" },
      summary: "No replica holds a term of leadership",
      description: "Tasks are accepted and nothing is done about them.",
    },
  },
  {
    alert: "GenopNobodyLeads",
    when: "a term is handed over within a minute",
    series: {
      [`genop_leadership_epoch{${NS},pod="a",shard="0"}`]: "7x3 0x10",
      [`genop_leadership_epoch{${NS},pod="b",shard="0"}`]: "0x4 8x9",
    },
    at: "8m",
  },
  {
    alert: "GenopTasksNeedReview",
    when: "tasks wait for a person for a quarter of an hour",
    series: { [`genop_tasks{${NS},pod="a",phase="NeedsReview"}`]: "2x30" },
    at: "20m",
    fires: {
      labels,
      summary: "2 tasks wait for a person's decision",
      description: "Their credits stay held until spec.resolution says what became of the job.",
    },
  },
  {
    alert: "GenopTasksNeedReview",
    when: "tasks are in other phases",
    series: { [`genop_tasks{${NS},pod="a",phase="Polling"}`]: "200x30" },
    at: "20m",
  },
  {
    alert: "GenopSubmitsUnknown",
    when: "a submit is unknown for more than a quarter of an hour",
    series: { [`genop_attempts_unknown_oldest_seconds{${NS},pod="a",provider="acme"}`]: "0+60x40" },
    at: "30m",
    fires: {
      labels: { ...labels, provider: "acme" },
      summary: "A submit to acme is unknown for 30m 0s",
      description: "The provider may have taken a job that is not found. Nothing is submitted again meanwhile.",
    },
  },
  {
    alert: "GenopSubmitsUnknown",
    when: "unknown submits are found within minutes",
    series: { [`genop_attempts_unknown_oldest_seconds{${NS},pod="a",provider="acme"}`]: "0+60x9 0+60x9 0+60x9" },
    at: "29m",
  },
  {
    alert: "GenopProviderNotReady",
    when: "a provider can't be used for five minutes",
    series: { [`genop_provider_ready{${NS},pod="a",provider="acme"}`]: "1x3 0x20" },
    at: "12m",
    fires: {
      labels: { ...labels, provider: "acme" },
      summary: "The provider acme can't be used",
      description: "Its tasks wait. The conditions of the GenerationProvider say why.",
    },
  },
  {
    alert: "GenopProviderNotReady",
    when: "it can",
    series: { [`genop_provider_ready{${NS},pod="a",provider="acme"}`]: "1x20" },
    at: "12m",
  },
  {
    alert: "GenopBillUnread",
    when: "no bill was read for two days",
    series: { [`genop_usage_age_seconds{${NS},pod="a",provider="acme"}`]: "172000+60x60" },
    at: "40m",
    fires: {
      labels: { ...labels, provider: "acme" },
      summary: "The bill of acme was not read for 2d 0h 26m 40s",
      description: "Jobs that it bills twice, for nobody or at another price are not found.",
    },
  },
  {
    alert: "GenopBillUnread",
    when: "the bill of yesterday was read",
    series: { [`genop_usage_age_seconds{${NS},pod="a",provider="acme"}`]: "86400+60x60" },
    at: "40m",
  },
  {
    alert: "GenopQuotaEditRefused",
    when: "an edit of the quota can't be read",
    series: { [`genop_quota_problems{${NS},pod="a"}`]: "1x20" },
    at: "10m",
    fires: {
      labels,
      summary: "1 entries of the quota ConfigMap can't be read",
      description: "Their last good value is in force, or none.",
    },
  },
  {
    alert: "GenopQuotaEditRefused",
    when: "a bad edit is corrected within five minutes",
    series: { [`genop_quota_problems{${NS},pod="a"}`]: "1x3 0x20" },
    at: "10m",
  },
  {
    alert: "GenopTasksVanished",
    when: "a task vanished within the hour",
    series: { [`genop_tasks_vanished_total{${NS},pod="a"}`]: "0x10 1x60" },
    at: "30m",
    fires: {
      labels,
      summary: "Tasks were deleted without their finalizer",
      description: "Their jobs were ended in the books; somebody removes finalizers by hand, or a backup tool does.",
    },
  },
  {
    alert: "GenopTasksVanished",
    when: "the last one vanished long ago",
    series: { [`genop_tasks_vanished_total{${NS},pod="a"}`]: "0x5 1x120" },
    at: "110m",
  },
  {
    alert: "GenopWatchSilent",
    when: "a watch hears nothing for three minutes, and then five more",
    series: { [`runtime_watch_silence_seconds{${NS},pod="a",name="tasks"}`]: "0+60x30" },
    at: "20m",
    fires: {
      labels: { ...labels, pod: "a", name: "tasks" },
      summary: "The API server tells a nothing of tasks",
      description: "Silence for 20m 0s; a bookmark comes each minute when all is well.",
    },
  },
  {
    alert: "GenopWatchSilent",
    when: "bookmarks come",
    series: { [`runtime_watch_silence_seconds{${NS},pod="a",name="tasks"}`]: "30x30" },
    at: "20m",
  },
  {
    alert: "GenopPassesFail",
    when: "passes fail for a quarter of an hour, 30 a minute",
    series: { [`controller_runtime_reconcile_errors_total{${NS},pod="a",controller="tasks"}`]: "0+30x60" },
    at: "40m",
    fires: {
      labels: { ...labels, controller: "tasks" },
      summary: "Passes of the controller tasks fail",
      description: "500m a second. The database, the object store or the API server does not answer.",
    },
  },
  {
    alert: "GenopPassesFail",
    when: "one fails now and then",
    series: { [`controller_runtime_reconcile_errors_total{${NS},pod="a",controller="tasks"}`]: "0+2x60" },
    at: "40m",
  },
  {
    alert: "GenopGaugesOld",
    when: "scrapes can't read the database",
    series: { [`genop_metrics_collect_failures_total{${NS},pod="a"}`]: "0+1x60" },
    at: "30m",
    fires: {
      labels,
      summary: "The database does not answer scrapes",
      description: "Gauges that are read from it are old, and with them the other alerts.",
    },
  },
  {
    alert: "GenopGaugesOld",
    when: "one scrape failed",
    series: { [`genop_metrics_collect_failures_total{${NS},pod="a"}`]: "0x5 1x60" },
    at: "15m",
  },
  {
    alert: "GenopNobodyTells",
    when: "no operator is scraped any more",
    series: { [`genop_leadership_epoch{${NS},pod="a",shard="0"}`]: "7x3 stale" },
    at: "15m",
    fires: {
      labels: {},
      summary: "No operator is scraped",
      description:
        "All replicas are gone, or Prometheus no longer finds them. No other alert can tell anything meanwhile.",
    },
  },
  {
    alert: "GenopNobodyTells",
    when: "one is, even if it leads nothing",
    series: { [`genop_leadership_epoch{${NS},pod="a",shard="0"}`]: "0x20" },
    at: "15m",
  },
  {
    alert: "GenopBacklogOld",
    when: "a task has not been submitted for more than an hour",
    series: { [`genop_task_oldest_seconds{${NS},pod="a",phase="Pending"}`]: "0+60x120" },
    at: "90m",
    fires: {
      labels,
      summary: "A task waits for 1h 30m 0s",
      description:
        "For credits, a budget, a place at its provider, or a provider that is not ready: its reason says which.",
    },
  },
  {
    alert: "GenopBacklogOld",
    when: "a job runs for more than an hour",
    series: { [`genop_task_oldest_seconds{${NS},pod="a",phase="Polling"}`]: "0+60x120" },
    at: "90m",
  },
  {
    alert: "GenopLateJobs",
    when: "the first late job of a process turns up, whose counter begins at one",
    series: { [`genop_late_jobs_total{${NS},pod="a",provider="acme",verdict="found"}`]: "_x30 1x60" },
    at: "40m",
    fires: {
      labels: { ...labels, provider: "acme" },
      summary: "Jobs of attempts that were given up turned up at acme",
      description: "The platform pays for them. Its list or look-up lags, or patience is too short.",
    },
  },
  {
    alert: "GenopLateJobs",
    when: "another one turns up",
    series: { [`genop_late_jobs_total{${NS},pod="a",provider="acme",verdict="found"}`]: "1x100 2x60" },
    at: "120m",
    fires: {
      labels: { ...labels, provider: "acme" },
      summary: "Jobs of attempts that were given up turned up at acme",
      description: "The platform pays for them. Its list or look-up lags, or patience is too short.",
    },
  },
  {
    alert: "GenopLateJobs",
    when: "the last one turned up long ago",
    series: { [`genop_late_jobs_total{${NS},pod="a",provider="acme",verdict="found"}`]: "_x5 1x200" },
    at: "150m",
  },
  {
    alert: "GenopBillDiffers",
    when: "a bill has its first line that is not as booked",
    series: {
      [`genop_usage_lines_total{${NS},pod="a",provider="acme",verdict="matched"}`]: "0+5x100",
      [`genop_usage_lines_total{${NS},pod="a",provider="acme",verdict="duplicate"}`]: "_x30 1x60",
    },
    at: "40m",
    fires: {
      labels: { ...labels, provider: "acme", verdict: "duplicate" },
      summary: "The bill of acme has lines that are not as booked: duplicate",
      description: "What the provider is owed beyond the books was booked as the platform's loss.",
    },
  },
  {
    alert: "GenopBillDiffers",
    when: "all lines are as booked",
    series: { [`genop_usage_lines_total{${NS},pod="a",provider="acme",verdict="matched"}`]: "_x30 5+5x60" },
    at: "40m",
  },
  {
    alert: "GenopPoolFull",
    when: "passes wait for a connection for ten minutes",
    series: { [`genop_database_connections{${NS},pod="a",state="waiting"}`]: "4x30" },
    at: "15m",
    fires: {
      labels: { ...labels, pod: "a" },
      summary: "4 passes of a wait for a connection of the database",
      description: "The pool is too small for the work, or the database is slow.",
    },
  },
  {
    alert: "GenopPoolFull",
    when: "all connections are used, and nobody waits",
    series: {
      [`genop_database_connections{${NS},pod="a",state="used"}`]: "10x30",
      [`genop_database_connections{${NS},pod="a",state="waiting"}`]: "0x30",
    },
    at: "15m",
  },
  {
    alert: "GenopShimRefuses",
    when: "new tasks are refused because the books are down",
    series: { [`genop_rest_intake_refused_total{${NS},pod="a",problem="books-unavailable"}`]: "0+60x30" },
    at: "20m",
    fires: {
      labels: { ...labels, problem: "books-unavailable" },
      summary: "The REST face takes no new tasks: books-unavailable",
      description: "1 a second are refused with 503. Reads still work.",
    },
  },
  {
    alert: "GenopShimRefuses",
    when: "one tenant asks too often",
    series: { [`genop_rest_intake_refused_total{${NS},pod="a",problem="too-many-requests"}`]: "0+60x30" },
    at: "20m",
  },
  {
    alert: "GenopWebhooksLost",
    when: "webhooks can't be written down",
    series: { [`genop_webhooks_received_total{${NS},pod="a",outcome="failed"}`]: "0+60x40" },
    at: "30m",
    fires: {
      labels,
      summary: "Webhooks of providers are refused",
      description: "1 a second. Results come by polling instead, which is later.",
    },
  },
  {
    alert: "GenopWebhooksLost",
    when: "strangers knock",
    series: { [`genop_webhooks_received_total{${NS},pod="a",outcome="stranger"}`]: "0+60x40" },
    at: "30m",
  },
];
