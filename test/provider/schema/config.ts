// How the provider as a whole behaves, and its schedule of faults: what the admin may set. Both are part of the durable record.
import { z } from "zod";
import { CancelFault, ListFault, OutputFault, QueryFault, SubmitFault } from "./faultNames.ts";
import { Amount, Billing } from "./simulate.ts";
import { WaitMs } from "./time.ts";

const DEFAULT_SECRET = `whsec_${Buffer.from("simulated-webhook-secret-32-byte").toString("base64")}`;

export const Config = z.strictObject({
  /** What a repeated Idempotency-Key does: nothing, the first answer again, or a refusal. */
  idempotency: z.enum(["none", "replay", "reject-on-reuse"]).default("none"),
  /** Whether a second job with a known `ref` is refused with 409. */
  uniqueRefs: z.boolean().default(false),
  inFlightLimit: z.number().int().min(1).nullable().default(null),
  overLimit: z.enum(["rejected", "accepted"]).default("rejected"),
  /** How many of the next connections are reset before anything is read; each uses up one. */
  resetConnections: z.number().int().min(0).max(100_000).default(0),
  submitsPerSecond: z.number().int().min(1).nullable().default(null),
  durationMs: WaitMs.default(1_000),
  queueMs: WaitMs.default(100),
  cancelDelayMs: WaitMs.default(100),
  /** Whether cancelling exists at all; 404 otherwise. */
  cancelling: z.boolean().default(true),
  outputTtlMs: WaitMs.default(3_600_000),
  /** Whether each query signs the output URLs afresh, or all queries show those of the moment the job ended. */
  refreshUrls: z.boolean().default(true),
  lookUp: z.enum(["on", "disabled"]).default("on"),
  list: z.enum(["on", "disabled"]).default("on"),
  listLagMs: WaitMs.default(0),
  echoInput: z.boolean().default(true),
  bill: Billing.default({}),
  /** By model name, else by kind of model: image, audio, video. */
  prices: z.record(z.string(), Amount).default({ image: "0.01", audio: "0.02", video: "0.10" }),
  webhooks: z.boolean().default(true),
  webhookSecret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]+=*$/)
    .default(DEFAULT_SECRET),
});
export type Config = z.infer<typeof Config>;

/** A change of the config: what is left out stays as it is. */
export const ConfigChange = z.strictObject(
  Object.fromEntries(Object.entries(Config.shape).map(([key, type]) => [key, type.unwrap().optional()])),
) as unknown as z.ZodType<Partial<Config>>;

const weights = <T extends z.ZodEnum>(fault: T): z.ZodOptional<z.ZodRecord<T & z.core.$partial, z.ZodNumber>> =>
  z.partialRecord(fault, z.number().min(0).max(1_000_000)).optional();

export const Schedule = z.strictObject({
  seed: z.union([z.string(), z.number()]).optional(),
  submit: weights(SubmitFault),
  query: weights(QueryFault),
  list: weights(ListFault),
  cancel: weights(CancelFault),
  output: weights(OutputFault),
});
export type Schedule = z.infer<typeof Schedule>;
