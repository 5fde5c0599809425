// What may change in an object that exists. Only the API server sees both versions, so these rules have no zod side.
import type { CelRule } from "./structural.ts";

/** Text that every immutable field of a task shares: what it may have cost can't be taken back. */
const WAY_OUT = "the request may already be paid for; create another task";

const REQUIRED = ["providerRef", "model"] as const;
const OPTIONAL = [
  "inputFrom",
  "idempotencyKey",
  "slaClass",
  "priority",
  "maxCredits",
  "activeDeadlineSeconds",
  "retryPolicy",
  "unknownPolicy",
  "output",
  "moderation",
  "deletionPolicy",
] as const;

/** Fields of a task's spec that never change. All others may, within TASK_TRANSITIONS. */
export const IMMUTABLE_TASK_FIELDS: readonly string[] = [...REQUIRED, "input", ...OPTIONAL];

export const SPEC_TRANSITIONS: readonly CelRule[] = [
  ...REQUIRED.map((field) => fixed(field, `self.${field} == oldSelf.${field}`)),
  // Compared through the parent: CEL's == on an object of unknown fields does not see a renamed key.
  fixed("input", "dyn(self).input == dyn(oldSelf).input"),
  ...OPTIONAL.map((field) =>
    fixed(
      field,
      `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    ),
  ),
  {
    rule: "!has(oldSelf.cancelRequested) || !oldSelf.cancelRequested || (has(self.cancelRequested) && self.cancelRequested)",
    message: "cannot take back spec.cancelRequested: the provider may have been asked already; create another task",
    fieldPath: ".cancelRequested",
  },
];

function fixed(field: string, rule: string): CelRule {
  return { rule, message: `cannot change spec.${field}: ${WAY_OUT}`, fieldPath: `.${field}` };
}

/** Rules of the whole task, which see its status: a decision that was acted upon is part of the record. */
export const TASK_TRANSITIONS: readonly CelRule[] = [
  {
    rule: "!has(oldSelf.spec.resolution) || has(self.spec.resolution)",
    message: "cannot remove spec.resolution: it is part of the record; leave it as it is",
    fieldPath: ".spec.resolution",
  },
  {
    rule:
      "!has(oldSelf.spec.resolution) || !has(self.spec.resolution) || self.spec.resolution == oldSelf.spec.resolution || " +
      "(has(oldSelf.status) && has(oldSelf.status.phase) && oldSelf.status.phase == 'NeedsReview')",
    message: "cannot change spec.resolution: it was acted upon; decide again only while status.phase is NeedsReview",
    fieldPath: ".spec.resolution",
  },
];

export const GRANT_TRANSITIONS: readonly CelRule[] = [
  {
    rule: "self == oldSelf",
    message: "cannot change a grant: it is applied once; create another CreditGrant",
  },
];
