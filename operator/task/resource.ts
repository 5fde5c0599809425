// GenerationTask as zod: the contract with users. crds/ is generated from it, and kube/ reads objects with it.
// Bounds stand here, so that the API server, the shim and the operator refuse the same things.
import { z } from "zod";
import { MAX_NAME_LENGTH, creditsField, nameField, secondsField } from "./fields.ts";
import { keyedBy, matching } from "./rule.ts";
import { Callback, Input, InputFrom, OutputLimits, Resolution } from "./task-parts.ts";

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

const shortName = (): z.ZodString => nameField(MAX_NAME_LENGTH);

export const TaskSpec = z.strictObject({
  providerRef: z
    .strictObject({ name: shortName().describe("The name of a GenerationProvider.") })
    .describe("The provider account that does the work."),
  model: z.string().min(1).max(256).describe("The provider's own name for the model."),
  input: Input,
  inputFrom: keyedBy(z.array(InputFrom).max(16), "path").optional().describe("Values kept out of this object."),
  idempotencyKey: matching(
    z.string().min(1).max(128),
    /^[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    "cannot use this idempotencyKey: write letters, digits, '.', '_', ':' and '-', beginning with a letter or digit",
  )
    .optional()
    .describe("One wish per namespace and key. Default: the object's UID."),
  slaClass: shortName()
    .optional()
    .describe(
      "A class of the operator's setting SLA_CLASSES: deadline, attempts, place in the queue. Another name is Rejected.",
    ),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .default(0)
    .describe("Higher goes first at the provider; added to the priority of its class, if it has one."),
  maxCredits: creditsField().optional().describe("The ceiling: a task whose estimate exceeds it is Rejected."),
  activeDeadlineSeconds: secondsField(604_800)
    .optional()
    .describe("From acceptance of the task to its end; afterwards it fails. Absent: no limit of its own."),
  retryPolicy: z
    .strictObject({
      maxAttempts: z.int().min(1).max(10).default(1).describe("How often a job may be paid for, the first included."),
    })
    .default({ maxAttempts: 1 })
    .describe("New paid attempts, after a proved failure only."),
  unknownPolicy: z
    .enum(["Hold", "Fail", "Resubmit"])
    .default("Hold")
    .describe("When it can't be known whether the provider took a submit. Resubmit may pay twice."),
  output: OutputLimits.default({ maxBytes: 2_147_483_648, minCount: 1 }).describe(
    "What the outputs must be to be published.",
  ),
  moderation: z
    .strictObject({ profile: shortName().describe("A name in the operator's configuration.") })
    .optional()
    .describe("Outputs are judged before they are published. Not served yet: a task with it is Rejected."),
  callback: Callback.optional().describe("Who is told of the end. Not served yet: a task with it is Rejected."),
  suspend: z.boolean().default(false).describe("Nothing new is started while true; what runs goes on."),
  cancelRequested: z
    .boolean()
    .default(false)
    .describe("Asks the provider to cancel; a finished job stays paid. Once true it stays true."),
  resolution: Resolution.optional().describe(
    "A person's decision on a task that needs review. Once made, it may be changed only while the task still needs review.",
  ),
  deletionPolicy: z
    .enum(["Cancel", "Orphan"])
    .default("Cancel")
    .describe("What deleting this object does to a running job: ask the provider to cancel it, or let it run."),
  ttlSecondsAfterFinished: z
    .int()
    .min(0)
    .max(31_536_000)
    .optional()
    .describe("How long after its end the object is deleted; published outputs stay. Absent: never."),
});
export type TaskSpec = z.infer<typeof TaskSpec>;

const time = z.iso.datetime();
const generation = z.int().min(0).optional().describe("The metadata.generation that this was written for.");
const Condition = z.strictObject({
  type: z
    .string()
    .max(316)
    .regex(/^([a-z0-9.-]+\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/)
    .describe("What is judged, such as Ready or Succeeded."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  observedGeneration: generation,
  lastTransitionTime: time.describe("When status last changed."),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .describe("A word for machines."),
  message: z.string().max(1024).describe("A sentence for people."),
});
export type Condition = z.infer<typeof Condition>;
export const Conditions = keyedBy(z.array(Condition).max(16), "type").describe(
  "The state in the form that kubectl wait and GitOps tools read.",
);

const Asset = z.strictObject({
  name: z.string().max(64).describe("Unique within the task."),
  uri: z.string().max(1024).describe("Where it is in object storage. Not a signed URL."),
  mediaType: z.string().max(127).describe("What its content says it is."),
  bytes: z.int().min(0).describe("Its size."),
  sha256: z.string().length(64).describe("Its checksum, in hex."),
  width: z.int().min(1).optional().describe("Pixels."),
  height: z.int().min(1).optional().describe("Pixels."),
  durationMs: z.int().min(0).optional().describe("Of audio and video, in milliseconds."),
});
export type AssetStatus = z.infer<typeof Asset>;

const TaskCredits = z.strictObject({
  reserved: creditsField().describe("Held for all attempts so far."),
  settled: creditsField().describe("Paid."),
  released: creditsField().describe("Given back. At the end, reserved = settled + released."),
});

export const TaskStatus = z.strictObject({
  observedGeneration: generation,
  phase: z.enum(PHASES).optional().describe("A view of the records; nothing is decided upon it."),
  reason: z.string().max(64).optional().describe("Why the task is in this phase, as a word."),
  message: z.string().max(1024).optional().describe("The same as a sentence."),
  taskKey: z.string().max(256).optional().describe("The identity of the wish: namespace/key."),
  attempt: z.int().min(0).optional().describe("The number of the newest attempt."),
  providerJobID: z.string().max(256).optional().describe("The provider's own name for the newest attempt's job."),
  progress: z.int().min(0).max(100).optional().describe("Percent, when the provider tells."),
  queuePosition: z.int().min(1).optional().describe("While Pending: 1 is next."),
  nextActionTime: time.optional().describe("When the operator looks again, while it waits."),
  startTime: time.optional().describe("When the task was accepted."),
  submittedTime: time.optional().describe("When the newest attempt was sent."),
  completionTime: time.optional().describe("When the task ended."),
  credits: TaskCredits.optional().describe("Over all attempts."),
  assets: keyedBy(z.array(Asset).max(64), "name").optional().describe("All outputs, once every one is verified."),
  conditions: Conditions.optional(),
});
export type TaskStatus = z.infer<typeof TaskStatus>;
