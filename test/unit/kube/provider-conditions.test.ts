import { describe, expect, test } from "@jest/globals";
import { conditionEvents } from "../../../operator/kube/condition-events.ts";
import { conditionsOf, type ProviderKnown } from "../../../operator/kube/provider-conditions.ts";
import { GRANT_REASONS, PROVIDER_REASONS } from "../../../operator/kube/provider-reasons.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { Conditions, type Condition } from "../../../operator/task/resource.ts";

const good: ProviderKnown = {
  generation: 3,
  unreadable: undefined,
  credential: { state: "read", value: "hush" },
  problems: [],
  lockedOut: undefined,
  quota: { state: "limited", message: "limited" },
  usage: undefined,
};
const WELL = ["True ProviderReady", "True CredentialRead", "True QuotaLimited"] as const;

const UNREADABLE: Condition = {
  ...{ type: "UsageRead", status: "False", reason: "UsageUnreadable", message: "it could not be read (reset)" },
  lastTransitionTime: "2026-11-30T12:00:00Z",
};

const CASES: readonly { when: string; known: Partial<ProviderKnown>; then: readonly string[] }[] = [
  { when: "all is well", known: {}, then: ["True ProviderReady", "True CredentialRead", "True QuotaLimited"] },
  { when: "its bill is read", known: { usage: { state: "read" } }, then: [...WELL, "True UsageRead"] },
  { when: "its bill is to be read", known: { usage: { state: "awaited" } }, then: [...WELL, "Unknown UsageAwaited"] },
  {
    when: "its bill can't be read",
    known: { usage: { state: "unreadable", code: "status-403" } },
    then: [...WELL, "False UsageUnreadable"],
  },
  {
    when: "nobody can say how the reading of its bill stands, which could not be read before",
    known: { usage: { state: "unasked", before: UNREADABLE } },
    then: [...WELL, "False UsageUnreadable"],
  },
  {
    when: "nobody can say, and nobody said before",
    known: { usage: { state: "unasked", before: undefined } },
    then: WELL,
  },
  {
    when: "no credential is needed and no limit is set",
    known: { credential: { state: "none-needed" }, quota: { state: "unlimited", message: "" } },
    then: ["True ProviderReady", "True CredentialNotNeeded", "True QuotaUnlimited"],
  },
  {
    when: "the spec can't be read",
    known: { unreadable: "spec.models: …", credential: { state: "none-needed" } },
    then: ["False SpecUnreadable", "Unknown SpecUnreadable", "True QuotaLimited"],
  },
  {
    when: "an expression does not compile",
    known: { problems: ["http.submit.path: …"] },
    then: ["False SpecUnusable", "True CredentialRead", "True QuotaLimited"],
  },
  {
    when: "the Secret is missing",
    known: { credential: { state: "unavailable", message: "cannot read Secret" } },
    then: ["False CredentialUnusable", "False SecretUnavailable", "True QuotaLimited"],
  },
  {
    when: "the credential can't stand in a header",
    known: { credential: { state: "malformed", message: "cannot use key" } },
    then: ["False CredentialUnusable", "False CredentialMalformed", "True QuotaLimited"],
  },
  {
    when: "the provider refuses the account",
    known: { lockedOut: "status-402" },
    then: ["False LockedOut", "False LockedOut", "True QuotaLimited"],
  },
  {
    when: "a bad quota has a last good one",
    known: { quota: { state: "bad", message: "", isInForce: true } },
    then: ["True ProviderReady", "True CredentialRead", "False QuotaInvalid"],
  },
  {
    when: "a bad quota has none",
    known: { quota: { state: "bad", message: "", isInForce: false } },
    then: ["False QuotaUnusable", "True CredentialRead", "False QuotaInvalid"],
  },
  {
    when: "the quota was not read yet",
    known: { quota: { state: "unread", message: "" } },
    then: ["False QuotaUnusable", "True CredentialRead", "Unknown QuotaUnread"],
  },
];

describe("conditions of a provider", () => {
  test.each(CASES)("when $when: $then", ({ known, then }) => {
    const conditions = conditionsOf({ ...good, ...known });
    const types = ["Ready", "CredentialsValid", "QuotaValid", "UsageRead"];
    expect(conditions.map(({ type }) => type)).toEqual(types.slice(0, then.length));
    expect(conditions.map(({ status, reason }) => `${status} ${reason}`)).toEqual(then);
  });

  test("they have the shape of metav1.Condition, and say which generation they are of", () => {
    const conditions = conditionsOf({ ...good, problems: ["x".repeat(3000)] });
    const timed = conditions.map((condition) => ({ ...condition, lastTransitionTime: "2026-11-30T12:00:00Z" }));
    expect(Conditions.parse(timed).map(({ observedGeneration }) => observedGeneration)).toEqual([3, 3, 3]);
  });

  test("the credential is in none of them", () => {
    expect(JSON.stringify(CASES.map(({ known }) => conditionsOf({ ...good, ...known })))).not.toContain("hush");
  });

  test("no reason has two meanings", () => {
    const all = [...Object.keys(REASONS), ...Object.keys(PROVIDER_REASONS), ...Object.keys(GRANT_REASONS)];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("events of conditions", () => {
  const condition = (type: string, status: Condition["status"], reason: string): Condition => ({
    ...{ type, status, reason, message: "with values" },
    lastTransitionTime: "2026-11-30T12:00:00Z",
  });
  const told = { sentences: { Bad: "it is bad" }, silent: new Set(["Ready/Echo"]), announced: new Set(["Ready"]) };

  test.each([
    {
      when: "true for the first time, announced",
      from: undefined,
      to: condition("Ready", "True", "Fine"),
      event: "Normal Fine",
    },
    { when: "true for the first time", from: undefined, to: condition("Other", "True", "Fine"), event: undefined },
    { when: "false for the first time", from: undefined, to: condition("Other", "False", "Bad"), event: "Warning Bad" },
    {
      when: "become false",
      from: condition("Other", "True", "Fine"),
      to: condition("Other", "False", "Bad"),
      event: "Warning Bad",
    },
    {
      when: "still false",
      from: condition("Other", "False", "Bad"),
      to: condition("Other", "False", "Bad"),
      event: undefined,
    },
    {
      when: "false for another reason",
      from: condition("Other", "False", "Worse"),
      to: condition("Other", "False", "Bad"),
      event: "Warning Bad",
    },
    {
      when: "true again",
      from: condition("Other", "False", "Bad"),
      to: condition("Other", "True", "Fine"),
      event: "Normal Fine",
    },
    {
      when: "unknown",
      from: condition("Other", "True", "Fine"),
      to: condition("Other", "Unknown", "Unread"),
      event: undefined,
    },
    { when: "an echo of another", from: undefined, to: condition("Ready", "False", "Echo"), event: undefined },
  ])("$when: $event", ({ from, to, event }) => {
    const [first] = conditionEvents(from ? [from] : [], [to], told);
    expect(first && `${first.type} ${first.reason}`).toBe(event);
    expect(first?.note ?? "").not.toContain("values");
  });
});
