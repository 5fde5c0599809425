// The parts of a GenerationTask's spec that have rules of their own.
import { z } from "zod";
import { SecretKeyRef } from "./fields.ts";
import { atMost, distinct, matching, obeying } from "./rule.ts";

export const MAX_INPUT_BYTES = 262_144;
export const MAX_INPUT_DEPTH = 32;

/**
 * What the provider is given. The API server bounds the number of fields; size, depth and numbers can't be seen by
 * its rules, and are judged wherever the object is read.
 */
export const Input = atMost(z.record(z.string(), z.unknown()), 256)
  .superRefine((input, context) => {
    const message = objectionTo(input);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .describe("Passed to the provider as it is. At most 256 KiB, 32 levels, and no whole number beyond 2^53.");

/** Why this input can't be passed on whole. Depth first: only what is shallow is safe to walk. */
function objectionTo(input: Readonly<Record<string, unknown>>): string | undefined {
  if (!isShallow(input, MAX_INPUT_DEPTH)) {
    return `cannot pass spec.input on: it nests deeper than ${MAX_INPUT_DEPTH} levels; flatten it`;
  }
  if (!isExact(input)) {
    return "cannot pass spec.input on: a whole number beyond 2^53 would lose digits; write it as a string";
  }
  if (new TextEncoder().encode(JSON.stringify(input)).length > MAX_INPUT_BYTES) {
    return `cannot pass spec.input on: it is larger than ${MAX_INPUT_BYTES} bytes; upload large values and pass their URLs`;
  }
  return undefined;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

function isExact(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isExact);
}

const POINTER_MESSAGE =
  "cannot use this path: write a JSON pointer of at most 8 segments of letters, digits, '_', '-' and '.', such as /audio/url";
const RESERVED_SEGMENT = /\/(__proto__|constructor|prototype)(\/|$)/;

export const InputFrom = z.strictObject({
  path: obeying(matching(z.string().min(2).max(256), /^(\/[A-Za-z0-9_.-]{1,64}){1,8}$/, POINTER_MESSAGE), [
    {
      cel: "!self.matches(r'/(__proto__|constructor|prototype)(/|$)')",
      holds: (path) => !RESERVED_SEGMENT.test(path),
      message: "cannot use this path: __proto__, constructor and prototype are reserved; name another field",
    },
  ]).describe("A JSON pointer into spec.input: where the value goes."),
  secretKeyRef: SecretKeyRef.describe("A Secret in the task's namespace."),
});

const MediaType = matching(
  z.string().max(127),
  /^(image|audio|video)\/[a-z0-9.+-]+$/,
  "cannot accept this media type: write image/…, audio/… or video/… in lower case, without parameters",
);

export const OutputLimits = z.strictObject({
  maxBytes: z.int().min(1).max(5_368_709_120).default(2_147_483_648).describe("The most bytes of one output."),
  mediaTypes: distinct(z.array(MediaType).min(1).max(16))
    .optional()
    .describe("What the outputs may be, judged by their content. Absent: any image, audio or video."),
  minCount: z.int().min(1).max(64).default(1).describe("Fewer outputs than this are a failure."),
});

const CALLBACK_EVENTS = ["Succeeded", "Failed", "Cancelled", "Rejected", "NeedsReview"] as const;

export const Callback = z.strictObject({
  url: matching(
    z.string().max(2048),
    /^https:\/\/[^/?#@\s]+([/?][^#\s]*)?$/,
    "cannot call this url: write https://, a host, and no user, password, space or fragment",
  ).describe("Called with a signed POST when one of the events happens."),
  secretRef: SecretKeyRef.describe("A Secret in the task's namespace: the key that signs the calls."),
  events: distinct(z.array(z.enum(CALLBACK_EVENTS)).min(1).max(5)).describe("The phases that are reported."),
});

export const Resolution = obeying(
  z.strictObject({
    attempt: z.int().min(0).max(1000).describe("The attempt decided upon; 0 for a task parked before its first."),
    decision: z
      .enum(["BindJob", "NotCreated", "WriteOff"])
      .describe("BindJob: it is this job. NotCreated: no job was made, try again. WriteOff: give it up."),
    jobID: z.string().min(1).max(256).optional().describe("The provider's job. Required by BindJob, and only by it."),
    note: z.string().max(1024).optional().describe("Why, for the record."),
    by: z.string().min(1).max(128).optional().describe("Who decided, for the record."),
  }),
  [
    {
      cel: "self.decision != 'BindJob' || has(self.jobID)",
      holds: ({ decision, jobID }) => decision !== "BindJob" || jobID !== undefined,
      message: "cannot bind a job: spec.resolution.jobID is missing; copy it from the provider's console",
      field: "jobID",
    },
    {
      cel: "self.decision == 'BindJob' || !has(self.jobID)",
      holds: ({ decision, jobID }) => decision === "BindJob" || jobID === undefined,
      message: "cannot use spec.resolution.jobID: only the decision BindJob names a job; drop jobID or decide BindJob",
      field: "jobID",
    },
  ],
);
