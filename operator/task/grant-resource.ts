// CreditGrant as zod: adds credits to a namespace's account, once, and is then immutable.
import { z } from "zod";
import { ZERO, parseCredits } from "./credits.ts";
import { creditsField } from "./fields.ts";
import { Conditions } from "./resource.ts";
import { obeying } from "./rule.ts";

export const GrantSpec = z.strictObject({
  credits: obeying(creditsField(), [
    {
      cel: "self.matches('[1-9]')",
      holds: (credits) => parseCredits(credits) !== ZERO,
      message: "cannot grant nothing: spec.credits must be more than zero",
    },
  ]).describe("A decimal number of credits with at most six places; more than zero."),
  reason: z.string().min(1).max(256).describe("Why, for the record."),
  refund: z
    .strictObject({
      taskKey: z.string().min(3).max(256).describe("The task's status.taskKey."),
      attempt: z.int().min(1).describe("The attempt's number: the task's status.attempt, or an earlier one."),
      by: z.string().min(1).max(128).describe("Who decided, for the record."),
    })
    .optional()
    .describe("Gives credits back that this attempt of this namespace settled, instead of adding new ones."),
});
export type GrantSpec = z.infer<typeof GrantSpec>;

export const GrantStatus = z.strictObject({
  observedGeneration: z.int().min(0).optional().describe("The metadata.generation that this was written for."),
  applied: z.boolean().optional().describe("Whether the credits are in the namespace's account."),
  transactionID: z.string().max(64).optional().describe("The ledger's transaction that added them."),
  conditions: Conditions.optional(),
});
export type GrantStatus = z.infer<typeof GrantStatus>;
