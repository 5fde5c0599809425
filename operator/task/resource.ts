// GenerationTask as zod: the contract with users. crds/ is generated from it, and kube/ reads objects with it.
// Bounds stand here, so that the API server, the shim and the operator refuse the same things.
import { z } from "zod";
import { CREDITS_PATTERN } from "./credits.ts";

export const GROUP = "genop.dev";
export const VERSION = "v1alpha1";
export const TASK_KEY_ANNOTATION = "genop.dev/task-key";
export const FINALIZER = "genop.dev/settle";

export const PHASES = [
  "Pending",
  "Submitting",
  "SubmitUnknown",
  "Polling",
  "Fetching",
  "Succeeded",
  "Failed",
  "Cancelled",
  "Rejected",
  "NeedsReview",
] as const;

const name = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
const seconds = (max: number): z.ZodInt => z.int().min(1).max(max);
const credits = z
  .string()
  .max(20)
  .regex(CREDITS_PATTERN)
  .describe("A decimal number of credits with at most six places.");
const secretKeyRef = z.strictObject({ name, key: z.string().min(1).max(253) });

const InputFrom = z.strictObject({
  path: z
    .string()
    .min(2)
    .max(256)
    .regex(/^(\/[A-Za-z0-9_.-]{1,64}){1,8}$/)
    .describe("A JSON pointer into spec.input: where the value goes."),
  secretKeyRef: secretKeyRef.describe("A Secret in the task's namespace."),
});

const Resolution = z.strictObject({
  attempt: z.int().min(0).max(1000).describe("The attempt that is decided upon; 0 for a task parked before its first."),
  decision: z.enum(["BindJob", "NotCreated", "WriteOff"]),
  jobID: z.string().min(1).max(256).optional().describe("The provider's job; required by BindJob."),
  note: z.string().max(1024).optional(),
});

export const TaskSpec = z.strictObject({
  providerRef: z.strictObject({ name }),
  model: z.string().min(1).max(256).describe("The provider's own name for the model."),
  input: z.record(z.string(), z.unknown()).describe("Passed to the provider as it is. At most 256 KiB and 32 levels."),
  inputFrom: z.array(InputFrom).max(16).optional().describe("Values kept out of this object."),
  idempotencyKey: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/)
    .optional()
    .describe("One wish per namespace and key. Default: the object's UID."),
  slaClass: name.optional().describe("A name in the operator's configuration."),
  priority: z.int().min(-1000).max(1000).default(0),
  maxCredits: credits.optional().describe("The ceiling: a task whose estimate exceeds it is Rejected."),
  activeDeadlineSeconds: seconds(604_800).optional().describe("From acceptance of the task to its end."),
  retryPolicy: z
    .strictObject({ maxAttempts: z.int().min(1).max(10).default(1) })
    .default({ maxAttempts: 1 })
    .describe("New paid attempts, after a proved failure only."),
  unknownPolicy: z
    .enum(["Hold", "Fail", "Resubmit"])
    .default("Hold")
    .describe("When it can't be known whether the provider took a submit. Resubmit may pay twice."),
  output: z
    .strictObject({
      maxBytes: z.int().min(1).max(5_368_709_120).default(2_147_483_648),
      mediaTypes: z
        .array(
          z
            .string()
            .max(127)
            .regex(/^(image|audio|video)\/[a-z0-9.+-]+$/),
        )
        .min(1)
        .max(16)
        .optional(),
      minCount: z.int().min(1).max(64).default(1),
    })
    .default({ maxBytes: 2_147_483_648, minCount: 1 }),
  moderation: z.strictObject({ profile: name }).optional().describe("A name in the operator's configuration."),
  callback: z
    .strictObject({
      url: z
        .string()
        .max(2048)
        .regex(/^https:\/\//),
      secretRef: secretKeyRef,
      events: z
        .array(z.enum(["Succeeded", "Failed", "Cancelled", "Rejected", "NeedsReview"]))
        .min(1)
        .max(5),
    })
    .optional(),
  suspend: z.boolean().default(false).describe("Nothing new is started while true; what runs goes on."),
  cancelRequested: z.boolean().default(false).describe("Once true it stays true."),
  resolution: Resolution.optional().describe("A person's decision on a task that needs review."),
  deletionPolicy: z.enum(["Cancel", "Orphan"]).default("Cancel"),
  ttlSecondsAfterFinished: z.int().min(0).max(31_536_000).optional(),
});
export type TaskSpec = z.infer<typeof TaskSpec>;

const time = z.iso.datetime();
const Condition = z.strictObject({
  type: z.string().max(316),
  status: z.enum(["True", "False", "Unknown"]),
  observedGeneration: z.int().min(0).optional(),
  lastTransitionTime: time,
  reason: z.string().min(1).max(1024),
  message: z.string().max(1024),
});
export type Condition = z.infer<typeof Condition>;
export const Conditions = z.array(Condition).max(16);

const Asset = z.strictObject({
  name: z.string().max(64),
  uri: z.string().max(1024),
  mediaType: z.string().max(127),
  bytes: z.int().min(0),
  sha256: z.string().length(64),
  width: z.int().min(1).optional(),
  height: z.int().min(1).optional(),
  durationMs: z.int().min(0).optional(),
});
export type AssetStatus = z.infer<typeof Asset>;

export const TaskStatus = z.strictObject({
  observedGeneration: z.int().optional(),
  phase: z.enum(PHASES).optional(),
  reason: z.string().max(64).optional(),
  message: z.string().max(1024).optional(),
  taskKey: z.string().max(256).optional(),
  attempt: z.int().min(0).optional(),
  providerJobID: z.string().max(256).optional(),
  progress: z.int().min(0).max(100).optional().describe("Percent, when the provider tells."),
  queuePosition: z.int().min(1).optional().describe("While Pending: 1 is next."),
  nextActionTime: time.optional(),
  startTime: time.optional(),
  submittedTime: time.optional(),
  completionTime: time.optional(),
  credits: z.strictObject({ reserved: credits, settled: credits, released: credits }).optional(),
  assets: z.array(Asset).max(64).optional(),
  conditions: Conditions.optional(),
});
export type TaskStatus = z.infer<typeof TaskStatus>;
