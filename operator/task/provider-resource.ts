// GenerationProvider as zod: one provider account, what it can do, and how to talk to it.
import { z } from "zod";
import { CREDITS_PATTERN } from "./credits.ts";
import { Conditions } from "./resource.ts";

const credits = z.string().max(20).regex(CREDITS_PATTERN);
const expression = z.string().min(1).max(4096).describe("CEL over task, attempt and response.");
const fieldName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
const seconds = (max: number): z.ZodInt => z.int().min(1).max(max);

/** The estimate (what is held) is perRequest + perOutput × count + perSecond × seconds. */
export const Price = z.strictObject({
  perRequest: credits.optional(),
  perOutput: credits.optional(),
  perSecond: credits.optional(),
  countField: fieldName.optional().describe("The field of spec.input that holds the number of outputs; absent: 1."),
  secondsField: fieldName.optional().describe("The field of spec.input that holds the seconds; required by perSecond."),
});
export type Price = z.infer<typeof Price>;

const Namespaces = z.strictObject({
  from: z.enum(["All", "Selector", "Names"]).default("All"),
  names: z.array(z.string().max(63)).max(256).optional(),
  selector: z
    .strictObject({ matchLabels: z.record(z.string().max(316), z.string().max(63)).optional() })
    .optional()
    .describe("Labels of the namespace; all must match."),
});

const Timeouts = z.strictObject({
  connectSeconds: seconds(60).default(5),
  submitSeconds: seconds(600).default(30),
  querySeconds: seconds(120).default(10),
  jobSeconds: seconds(604_800).default(1800),
  fetchSeconds: seconds(86_400).default(600),
});

const Outputs = z.strictObject({
  hosts: z
    .array(
      z
        .string()
        .max(253)
        .regex(/^(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?$/),
    )
    .max(32)
    .default([])
    .describe("Hosts that outputs may come from; `*.` matches subdomains. The API's own host is always allowed."),
  ttlSeconds: seconds(31_536_000).default(3600),
  refresh: z.boolean().default(true).describe("A new query of the job gives fresh URLs."),
  auth: z.enum(["None", "SameOrigin"]).default("None"),
});

const Capabilities = z.strictObject({
  idempotency: z.enum(["None", "Replay", "RejectOnReuse"]).default("None"),
  idempotencyWindowSeconds: seconds(2_592_000).default(86_400),
  lookupByClientID: z.boolean().default(false),
  correlate: z.enum(["None", "Heuristic", "Exact"]).default("None"),
  webhookAdoption: z.boolean().default(false),
  cancel: z.enum(["None", "Request", "Confirmed", "Destructive"]).default("None"),
  overLimit: z.enum(["Rejected", "Accepted"]).default("Rejected"),
});

/** How long and how often absence is looked for before it is believed, and before a person is asked. */
const Unknown = z.strictObject({
  settleSeconds: z.int().min(0).max(86_400).default(60),
  misses: z.int().min(1).max(100).default(3),
  patienceSeconds: seconds(2_592_000).default(3600),
});

const method = z.enum(["GET", "POST", "PUT", "PATCH"]);
const HttpAdapter = z.strictObject({
  headers: z
    .record(z.string().max(64), z.string().max(1024))
    .optional()
    .describe("Constant headers; no credentials here."),
  idempotencyHeader: z.string().max(64).optional(),
  submit: z.strictObject({
    method: method.default("POST"),
    path: expression,
    body: expression,
    jobID: expression,
    rejected: expression.optional(),
  }),
  query: z.strictObject({
    path: expression,
    state: expression.describe(
      'One of "Queued", "Running", "Succeeded", "Failed", "Cancelled", "Missing"; anything else is not terminal.',
    ),
    progress: expression.optional(),
    outputs: expression.optional().describe("A list of {url, name, mediaType, bytes}; only url is required."),
    cost: expression.optional().describe("Credits billed, as a decimal string."),
    failure: expression.optional(),
  }),
  lookUp: z.strictObject({ path: expression, jobID: expression }).optional(),
  list: z
    .strictObject({ path: expression, items: expression, jobID: expression, ref: expression })
    .optional()
    .describe("Correlation: `item` is one entry of `items`; an entry is ours when `ref` equals attempt.id."),
  cancel: z.strictObject({ method: z.enum(["POST", "PUT", "DELETE"]).default("POST"), path: expression }).optional(),
});
export type HttpAdapterSpec = z.infer<typeof HttpAdapter>;

export const ProviderSpec = z.strictObject({
  adapter: z.enum(["http"]),
  baseURL: z
    .string()
    .max(1024)
    .regex(/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/)
    .describe("No query, fragment or credentials."),
  credentials: z
    .strictObject({
      secretRef: z.strictObject({ name: z.string().min(1).max(253), key: z.string().min(1).max(253) }),
      header: z
        .string()
        .max(64)
        .regex(/^[A-Za-z][A-Za-z0-9-]*$/)
        .default("Authorization"),
      prefix: z.string().max(32).default(""),
    })
    .optional()
    .describe("A Secret in the operator's namespace."),
  allowedNamespaces: Namespaces.default({ from: "All" }),
  models: z
    .array(z.strictObject({ name: z.string().min(1).max(256), price: Price }))
    .min(1)
    .max(64),
  timeouts: Timeouts.default(Timeouts.parse({})),
  outputs: Outputs.default(Outputs.parse({})),
  network: z
    .strictObject({ allowPrivateAddresses: z.boolean().default(false), allowPlainHTTP: z.boolean().default(false) })
    .default({ allowPrivateAddresses: false, allowPlainHTTP: false }),
  capabilities: Capabilities.default(Capabilities.parse({})),
  unknown: Unknown.default(Unknown.parse({})),
  http: HttpAdapter.optional(),
});
export type ProviderSpec = z.infer<typeof ProviderSpec>;

export const ProviderStatus = z.strictObject({
  observedGeneration: z.int().optional(),
  inFlight: z.int().min(0).optional(),
  waiting: z.int().min(0).optional(),
  conditions: Conditions.optional(),
});
export type ProviderStatus = z.infer<typeof ProviderStatus>;
