// Every metric of the product, declared once: name, sentence, labels and the sets that their values come from.
// docs/reference/metrics.md is held to this table. The runtime's metrics carry upstream's names and stand in operator/runtime.
import type { LABEL_VALUES } from "./label-values.ts";

type ClosedSet = keyof typeof LABEL_VALUES;

interface Declaration {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge" | "histogram";
  /** Label to the set its values come from. `provider`, `report`, `shard` and `tenant` are bounded by count; see `labels.ts`. */
  readonly labels: Readonly<Record<string, ClosedSet | "provider" | "report" | "shard" | "tenant">>;
  readonly buckets?: readonly number[];
}

const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const FETCH_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800];

export const METRICS = {
  tasks: {
    name: "genop_tasks",
    help: "GenerationTask objects by phase, as the cache of this process has them.",
    kind: "gauge",
    labels: { phase: "phase" },
  },
  oldestTask: {
    name: "genop_task_oldest_seconds",
    help: "Age of the oldest task in a phase that is not an end.",
    kind: "gauge",
    labels: { phase: "phase" },
  },
  decisions: {
    name: "genop_decisions_total",
    help: "Passes by the action that was decided and the phase it was decided in.",
    kind: "counter",
    labels: { action: "action", phase: "phase" },
  },
  calls: {
    name: "genop_calls_total",
    help: "Calls to providers by operation and outcome; what an outcome proves stands in docs/reference/faults.md.",
    kind: "counter",
    labels: { provider: "provider", operation: "operation", outcome: "outcome" },
  },
  callSeconds: {
    name: "genop_call_seconds",
    help: "Length of calls to providers, from before the connect to the end of the answer.",
    kind: "histogram",
    labels: { provider: "provider", operation: "operation" },
    buckets: CALL_SECONDS,
  },
  attemptsLive: {
    name: "genop_attempts_live",
    help: "Attempts that have not ended: waiting for admission, in flight (sent or accepted), or fetching their outputs.",
    kind: "gauge",
    labels: { provider: "provider", state: "attemptState" },
  },
  attemptsEnded: {
    name: "genop_attempts_ended_total",
    help: "Attempts that this process ended, by reason.",
    kind: "counter",
    labels: { provider: "provider", reason: "endReason" },
  },
  webhooksReceived: {
    name: "genop_webhooks_received_total",
    help: "Requests to the webhook receiver by what became of them.",
    kind: "counter",
    labels: { outcome: "receiveOutcome" },
  },
  webhooksRead: {
    name: "genop_webhooks_read_total",
    help: "Webhooks that the operator read from its inbox; only those heard make it ask the provider.",
    kind: "counter",
    labels: { provider: "provider", verdict: "webhookVerdict" },
  },
  usageLines: {
    name: "genop_usage_lines_total",
    help: "Lines of providers' bills by what they are against the books; all but matched are worth a question to the provider.",
    kind: "counter",
    labels: { provider: "provider", verdict: "usageVerdict" },
  },
  usageReads: {
    name: "genop_usage_reads_total",
    help: "Times that a provider's usage export was due, by whether it could be read up to the present.",
    kind: "counter",
    labels: { provider: "provider", outcome: "usageReadOutcome" },
  },
  usageAge: {
    name: "genop_usage_age_seconds",
    help: "Time since a provider's usage export was last read up to the present, or was first to be.",
    kind: "gauge",
    labels: { provider: "provider" },
  },
  lateJobs: {
    name: "genop_late_jobs_total",
    help: "Jobs that turned up after their attempt was given up, when they were found and as they ended; the platform pays for them.",
    kind: "counter",
    labels: { provider: "provider", verdict: "lateVerdict" },
  },
  tasksVanished: {
    name: "genop_tasks_vanished_total",
    help: "Tasks ended because their object was deleted without its finalizer; anything above 0 is worth a look.",
    kind: "counter",
    labels: {},
  },
  unknownAttempts: {
    name: "genop_attempts_unknown",
    help: "Attempts of which it is not known whether the provider took the submit.",
    kind: "gauge",
    labels: { provider: "provider" },
  },
  oldestUnknown: {
    name: "genop_attempts_unknown_oldest_seconds",
    help: "Time since the oldest unknown attempt was sent; 0 when there is none.",
    kind: "gauge",
    labels: { provider: "provider" },
  },
  credits: {
    name: "genop_credits_total",
    help: "Credits that this process booked, by kind; a view for graphs, never the books.",
    kind: "counter",
    labels: { kind: "creditKind" },
  },
  budgetSpent: {
    name: "genop_budget_spent_credits",
    help: "Credits that a namespace with a budget has held and settled in the day or month under way; those 64 that spend most.",
    kind: "gauge",
    labels: { tenant: "tenant", period: "budgetPeriod" },
  },
  budgetLimit: {
    name: "genop_budget_limit_credits",
    help: "What such a namespace may spend in that day or month; a namespace that is at it has tasks that wait.",
    kind: "gauge",
    labels: { tenant: "tenant", period: "budgetPeriod" },
  },
  ledgerReports: {
    name: "genop_ledger_report_rows",
    help: "Rows of a ledger report that must be empty; anything above 0 is an alert.",
    kind: "gauge",
    labels: { report: "report" },
  },
  quotaProblems: {
    name: "genop_quota_problems",
    help: "Entries of the quota ConfigMap that can't be read, so that their last good value, or nothing, is in force.",
    kind: "gauge",
    labels: {},
  },
  quotaUnlimited: {
    name: "genop_quota_unlimited_providers",
    help: "GenerationProviders for which the quota ConfigMap sets no limits.",
    kind: "gauge",
    labels: {},
  },
  providerReady: {
    name: "genop_provider_ready",
    help: "1 when the GenerationProvider can be used, else 0.",
    kind: "gauge",
    labels: { provider: "provider" },
  },
  artifactBytes: {
    name: "genop_artifact_bytes_total",
    help: "Bytes of outputs read from providers, counted and not declared.",
    kind: "counter",
    labels: { provider: "provider" },
  },
  artifactSeconds: {
    name: "genop_artifact_seconds",
    help: "Time to fetch, verify and publish all outputs of an attempt.",
    kind: "histogram",
    labels: { provider: "provider" },
    buckets: FETCH_SECONDS,
  },
  artifactsLeft: {
    name: "genop_artifacts_left_total",
    help: "Times that an upload or a staging place could not be taken away at once, and was left to the sweep.",
    kind: "counter",
    labels: { what: "leftover" },
  },
  databasePool: {
    name: "genop_database_connections",
    help: "Connections of this process's database pool; waiting is passes that wait for one.",
    kind: "gauge",
    labels: { state: "poolState" },
  },
  epoch: {
    name: "genop_leadership_epoch",
    help: "The term of leadership that this process holds in the database, by shard; 0 when it holds none.",
    kind: "gauge",
    labels: { shard: "shard" },
  },
  collectFailures: {
    name: "genop_metrics_collect_failures_total",
    help: "Times that a value could not be read for a scrape within two seconds; its last value was served.",
    kind: "counter",
    labels: {},
  },
} as const satisfies Record<string, Declaration>;
