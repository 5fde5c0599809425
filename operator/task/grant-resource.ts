// CreditGrant as zod: adds credits to a namespace's account, once, and is then immutable.
import { z } from "zod";
import { CREDITS_PATTERN } from "./credits.ts";
import { Conditions } from "./resource.ts";

export const GrantSpec = z.strictObject({
  credits: z
    .string()
    .max(20)
    .regex(CREDITS_PATTERN)
    .describe("A decimal number of credits with at most six places; more than zero."),
  reason: z.string().min(1).max(256),
});
export type GrantSpec = z.infer<typeof GrantSpec>;

export const GrantStatus = z.strictObject({
  observedGeneration: z.int().optional(),
  applied: z.boolean().optional(),
  transactionID: z.string().max(64).optional(),
  conditions: Conditions.optional(),
});
export type GrantStatus = z.infer<typeof GrantStatus>;
