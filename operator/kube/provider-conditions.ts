// The conditions of a GenerationProvider from all that is known of it. Pure.
import type { Condition } from "../task/resource.ts";
import { unreachable } from "../task/unreachable.ts";
import type { ConditionWanted } from "./conditions.ts";
import { bounded } from "./problems.ts";
import { PROVIDER_REASONS, type ProviderReason } from "./provider-reasons.ts";
import type { QuotaStanding } from "./quota.ts";

/** How the credential was found. */
export type CredentialFound =
  | { readonly state: "none-needed" }
  | { readonly state: "read"; readonly value: string }
  | { readonly state: "unavailable" | "malformed"; readonly message: string };

/** How the reading of its usage export stands. */
export type UsageKnown =
  | { readonly state: "read" | "awaited" }
  | { readonly state: "unreadable"; readonly code: string }
  /** Nobody can say now; what was told before stands. */
  | { readonly state: "unasked"; readonly before: Condition | undefined };

export interface ProviderKnown {
  readonly generation: number;
  /** Undefined: the spec can be read. */
  readonly unreadable: string | undefined;
  readonly credential: CredentialFound;
  /** What the registry can't use of the spec. */
  readonly problems: readonly string[];
  readonly lockedOut: string | undefined;
  readonly quota: QuotaStanding;
  /** Undefined: its export is not to be read. */
  readonly usage: UsageKnown | undefined;
}

const MAX_MESSAGE = 1024;

/** Ready is true exactly when a task could be submitted. */
export function conditionsOf(known: ProviderKnown): readonly ConditionWanted[] {
  const { generation } = known;
  const condition = (type: string, [status, reason, message = PROVIDER_REASONS[reason]]: Finding): ConditionWanted => ({
    type,
    status,
    observedGeneration: generation,
    reason,
    message: bounded(message, MAX_MESSAGE),
  });
  return [
    condition("Ready", readiness(known)),
    condition("CredentialsValid", credentials(known)),
    condition("QuotaValid", quota(known.quota)),
    ...usageFindings(known.usage).map((finding) => condition("UsageRead", finding)),
  ];
}

type Finding = readonly [status: Condition["status"], reason: ProviderReason, message?: string];

function readiness(known: ProviderKnown): Finding {
  const { unreadable, problems, credential, lockedOut } = known;
  if (unreadable !== undefined) return ["False", "SpecUnreadable", unreadable];
  if (problems.length > 0) return ["False", "SpecUnusable", problems.join("; ")];
  if (isUnusable(credential)) return ["False", "CredentialUnusable"];
  if (lockedOut !== undefined) return ["False", "LockedOut", lockedOutMessage(lockedOut)];
  if (!isQuotaInForce(known.quota)) return ["False", "QuotaUnusable"];
  return ["True", "ProviderReady"];
}

function credentials({ credential, unreadable, lockedOut }: ProviderKnown): Finding {
  if (unreadable !== undefined) return ["Unknown", "SpecUnreadable"];
  switch (credential.state) {
    case "unavailable":
      return ["False", "SecretUnavailable", credential.message];
    case "malformed":
      return ["False", "CredentialMalformed", credential.message];
    case "none-needed":
    case "read":
      if (lockedOut !== undefined) return ["False", "LockedOut", lockedOutMessage(lockedOut)];
      return ["True", credential.state === "read" ? "CredentialRead" : "CredentialNotNeeded"];
    default:
      return unreachable(credential);
  }
}

function quota(standing: QuotaStanding): Finding {
  switch (standing.state) {
    case "unread":
      return ["Unknown", "QuotaUnread", standing.message];
    case "bad":
      return ["False", "QuotaInvalid", standing.message];
    case "limited":
      return ["True", "QuotaLimited", standing.message];
    case "unlimited":
      return ["True", "QuotaUnlimited", standing.message];
    default:
      return unreachable(standing);
  }
}

function usageFindings(known: UsageKnown | undefined): readonly Finding[] {
  switch (known?.state) {
    case undefined:
      return [];
    case "read":
      return [["True", "UsageRead"]];
    case "awaited":
      return [["Unknown", "UsageAwaited"]];
    case "unreadable":
      return [["False", "UsageUnreadable", `${PROVIDER_REASONS.UsageUnreadable} (${known.code})`]];
    case "unasked":
      return known.before ? [[known.before.status, known.before.reason as ProviderReason, known.before.message]] : [];
    default:
      return unreachable(known);
  }
}

/** Whether there is no credential to send although one is needed. */
export function isUnusable(
  credential: CredentialFound,
): credential is Extract<CredentialFound, { readonly message: string }> {
  return credential.state === "unavailable" || credential.state === "malformed";
}

function isQuotaInForce(standing: QuotaStanding): boolean {
  return standing.state === "bad" ? standing.isInForce : standing.state !== "unread";
}

function lockedOutMessage(code: string): string {
  return `${PROVIDER_REASONS.LockedOut} (${code})`;
}
