// Every reason that the conditions and events of GenerationProvider and CreditGrant carry, with its meaning.
// docs/reference/reasons.md is held to this table, as to task/reasons.ts.

export const PROVIDER_REASONS = {
  ProviderReady: "the provider is in use",
  SpecUnreadable: "the object can't be read as a GenerationProvider",
  SpecUnusable: "the spec can be read and not be used, such as an expression that does not compile",
  CredentialUnusable: "there is no credential that could be sent; see condition CredentialsValid",
  QuotaUnusable: "the limits are not known, so that nothing is started; see condition QuotaValid",
  LockedOut: "the provider refuses the credential or the account: mend it there, or rotate the Secret",
  CredentialRead: "the credential was read from its Secret",
  CredentialNotNeeded: "spec.credentials is absent: requests carry none",
  SecretUnavailable: "the Secret, or its key, does not exist or may not be read",
  CredentialMalformed: "the value can't stand in an HTTP header",
  QuotaLimited: "the quota ConfigMap sets limits for this provider",
  QuotaUnlimited: "the quota ConfigMap sets no limits for this provider",
  QuotaUnread: "the quota ConfigMap was not read yet",
  QuotaInvalid: "the entry in the quota ConfigMap can't be used",
  UsageRead: "the provider's usage export is read and held against the attempts",
  UsageUnreadable: "the provider's usage export could not be read when it was due",
  UsageAwaited: "the provider's usage export was not read to its end yet",
} as const;
export type ProviderReason = keyof typeof PROVIDER_REASONS;

export const GRANT_REASONS = {
  GrantApplied: "the credits were added to the namespace's account",
  GrantUnreadable: "the object can't be read as a CreditGrant",
  GrantRefused: "the ledger does not take this grant; the message says why",
} as const;
export type GrantReason = keyof typeof GRANT_REASONS;
