// Names of log events that operator/kube writes. An alert or a search may rely on them: a name that changes is a breaking
// change. The runtime's own events stand in its files.

export const EVENTS = {
  /** provider */
  quotaChanged: "quota.changed",
  /** provider, problem */
  quotaInvalid: "quota.invalid",
  /** The ConfigMap is gone; its last limits stay. */
  quotaDeleted: "quota.deleted",
  /** provider */
  providerReady: "provider.ready",
  /** provider, reason */
  providerNotReady: "provider.not-ready",
  /** provider */
  providerRemoved: "provider.removed",
  /** grant, transactionId */
  grantApplied: "grant.applied",
  /** grant, problem */
  grantRefused: "grant.refused",
} as const;
