// What a request may ask of the provider: the submit body and its strict `input.simulate`. Knows no state.
import { createHash } from "node:crypto";
import { z } from "zod";
import { CancelFault, ListFault, OutputFault, QueryFault, SubmitFault, WebhookFault } from "./faultNames.ts";
import { WaitMs } from "./time.ts";

/** A decimal amount of credits with at most six places. */
export const Amount = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/);

const MAX_OUTPUT_BYTES = 200_000_000;

const listOf = <T extends z.ZodType>(fault: T): z.ZodOptional<z.ZodArray<T>> => z.array(fault).max(100).optional();

export const MediaKind = z.enum(["image", "audio", "video"]);
export type MediaKind = z.infer<typeof MediaKind>;

export const MediaFormat = z.enum(["png", "gif", "wav", "mp4"]);
export type MediaFormat = z.infer<typeof MediaFormat>;

export const OutputWish = z.strictObject({
  kind: MediaKind,
  format: MediaFormat.optional(),
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
    .optional(),
  bytes: z.number().int().min(1).max(MAX_OUTPUT_BYTES).optional(),
  /** Whether the job tells the output's length. */
  declared: z.enum(["true", "missing"]).default("true"),
  /** The fault of every fetch. */
  fault: OutputFault.optional(),
  /** The fault of the n-th fetch. */
  faults: listOf(OutputFault),
});
export type OutputWish = z.infer<typeof OutputWish>;

export const JobEnd = z.enum([
  "done",
  "failed",
  "moderated",
  "done-without-output",
  "done-outputs-late",
  "stuck-running",
  "lost",
]);
export type JobEnd = z.infer<typeof JobEnd>;

export const Billing = z.strictObject({
  when: z.enum(["completion", "acceptance", "never"]).optional(),
  failed: z.boolean().optional(),
  cancelled: z.boolean().optional(),
});
export type Billing = z.infer<typeof Billing>;

export const Simulate = z.strictObject({
  submit: listOf(SubmitFault),
  query: listOf(QueryFault),
  cancel: listOf(CancelFault),
  lateMs: WaitMs.default(3_000),
  durationMs: WaitMs.optional(),
  queueMs: WaitMs.optional(),
  end: JobEnd.default("done"),
  outputs: z.array(OutputWish).max(20).optional(),
  bill: Billing.extend({ amount: Amount.optional(), shown: z.enum(["billed", "missing", "malformed"]).optional() })
    .strict()
    .default({}),
  list: z.strictObject({ lagMs: WaitMs.optional(), faults: listOf(ListFault) }).default({}),
  webhook: z.strictObject({ faults: listOf(WebhookFault) }).default({}),
});
export type Simulate = z.infer<typeof Simulate>;

export const SubmitBody = z.strictObject({
  model: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  ref: z.string().min(1).max(200).optional(),
  webhook: z.url().max(2_000).optional(),
});
export type SubmitBody = z.infer<typeof SubmitBody>;

/** The task a request belongs to: its own word for it, or what it asks for. Equal requests without a word share one. */
export function referenceOf(body: Pick<SubmitBody, "model" | "input">): string {
  const named = body.input.reference;
  if (typeof named === "string" && named !== "") return named;

  const asked = JSON.stringify([body.model, body.input]);
  return `ref-less:${createHash("sha256").update(asked).digest("hex").slice(0, 24)}`;
}
