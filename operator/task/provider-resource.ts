// GenerationProvider as zod: one provider account, what it can do, and how to talk to it.
import { z } from "zod";
import { SecretKeyRef } from "./fields.ts";
import { HttpAdapter, headerField, headerTextField } from "./http-adapter-resource.ts";
import { Capabilities, Namespaces, Outputs, Price, Timeouts, Unknown } from "./provider-parts.ts";
import { Conditions } from "./resource.ts";
import { keyedBy, matching, obeying, type Rule } from "./rule.ts";

const Model = z.strictObject({
  name: z.string().min(1).max(256).describe("The provider's own name for the model."),
  price: Price.describe("What a task is estimated to cost: perRequest + perOutput × count + perSecond × seconds."),
});

const Fields = z.strictObject({
  adapter: z.enum(["http"]).describe("What speaks to the provider."),
  baseURL: matching(
    z.string().max(1024),
    /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/,
    "cannot use this baseURL: write https://, a host and perhaps a path, without query, fragment, user and password",
  ).describe("Where the API is. No query, fragment or credentials."),
  credentials: z
    .strictObject({
      secretRef: SecretKeyRef.describe("A Secret in the operator's namespace."),
      header: headerField().default("Authorization").describe("The header that carries the credential."),
      prefix: headerTextField(32).default("").describe('What stands before the credential, such as "Bearer ".'),
    })
    .optional()
    .describe("How the operator proves who it is. Sent to baseURL's origin only."),
  allowedNamespaces: Namespaces.default({ from: "All" }).describe("Which namespaces may use this provider."),
  models: keyedBy(z.array(Model).min(1).max(64), "name").describe("What may be asked for; other models are Rejected."),
  timeouts: Timeouts.default(Timeouts.parse({})).describe("How long each step may take."),
  outputs: Outputs.default(Outputs.parse({})).describe("Where outputs come from, and for how long."),
  network: z
    .strictObject({
      allowPrivateAddresses: z
        .boolean()
        .default(false)
        .describe("For models of your own. Metadata and link-local addresses stay refused."),
      allowPlainHTTP: z.boolean().default(false).describe("For models of your own: credentials travel in clear."),
    })
    .default({ allowPrivateAddresses: false, allowPlainHTTP: false })
    .describe("What the guard of outgoing connections lets through."),
  capabilities: Capabilities.default(Capabilities.parse({})).describe(
    "What the provider can do when an answer is lost. Claim only what it documents: a wrong claim may pay twice.",
  ),
  unknown: Unknown.default(Unknown.parse({})).describe("How long and how often a lost job is looked for."),
  http: HttpAdapter.optional().describe("How to talk to the provider. Required by adapter http."),
});

const RULES: readonly Rule<z.output<typeof Fields>>[] = [
  {
    cel: "self.adapter != 'http' || has(self.http)",
    holds: ({ adapter, http }) => (adapter as string) !== "http" || http !== undefined,
    message: "cannot use adapter http: spec.http is missing; say there how to submit and how to query",
    field: "http",
  },
  {
    cel: "!self.baseURL.startsWith('http:') || self.network.allowPlainHTTP",
    holds: ({ baseURL, network }) => !baseURL.startsWith("http:") || network.allowPlainHTTP,
    message:
      "cannot use a baseURL without TLS: credentials and inputs would travel in clear; write https://, or set spec.network.allowPlainHTTP for a model of your own",
    field: "baseURL",
  },
  {
    cel: "!self.capabilities.lookupByClientID || !has(self.http) || has(self.http.lookUp)",
    holds: ({ capabilities, http }) => !capabilities.lookupByClientID || !http || http.lookUp !== undefined,
    message:
      "cannot look jobs up by our id: spec.http.lookUp is missing; add it, or set spec.capabilities.lookupByClientID to false",
    field: "http",
  },
  {
    cel: "self.capabilities.correlate == 'None' || !has(self.http) || has(self.http.list)",
    holds: ({ capabilities, http }) => capabilities.correlate === "None" || !http || http.list !== undefined,
    message: "cannot correlate jobs: spec.http.list is missing; add it, or set spec.capabilities.correlate to None",
    field: "http",
  },
  {
    cel: "self.capabilities.cancel == 'None' || !has(self.http) || has(self.http.cancel)",
    holds: ({ capabilities, http }) => capabilities.cancel === "None" || !http || http.cancel !== undefined,
    message: "cannot cancel jobs: spec.http.cancel is missing; add it, or set spec.capabilities.cancel to None",
    field: "http",
  },
  {
    cel: "self.capabilities.idempotency == 'None' || !has(self.http) || has(self.http.idempotencyHeader) || self.http.submit.body.contains('attempt.id')",
    holds: ({ capabilities, http }) =>
      capabilities.idempotency === "None" ||
      !http ||
      http.idempotencyHeader !== undefined ||
      http.submit.body.includes("attempt.id"),
    message:
      "cannot send idempotency keys: spec.http.idempotencyHeader is missing; add it, or send attempt.id in spec.http.submit.body, or set spec.capabilities.idempotency to None",
    field: "http",
  },
];

const LIST_RULES: readonly Rule<z.output<typeof Fields>>[] = [
  {
    cel: "!has(self.http) || !has(self.http.list) || has(self.http.list.ref) || has(self.http.list.match)",
    holds: ({ http }) => !http?.list || http.list.ref !== undefined || http.list.match !== undefined,
    message: "cannot find a job in the list: spec.http.list has neither ref nor match; add one",
    field: "http",
  },
  {
    cel: "self.capabilities.correlate != 'Exact' || !has(self.http) || !has(self.http.list) || has(self.http.list.ref)",
    holds: ({ capabilities, http }) => capabilities.correlate !== "Exact" || !http?.list || http.list.ref !== undefined,
    message:
      "cannot correlate exactly by likeness: spec.http.list.ref is missing; add it, or set spec.capabilities.correlate to Heuristic",
    field: "http",
  },
  {
    cel: "self.capabilities.idempotency != 'RejectOnReuse' || !has(self.http) || has(self.http.submit.reused)",
    holds: ({ capabilities, http }) =>
      capabilities.idempotency !== "RejectOnReuse" || http?.submit.reused !== undefined || !http,
    message:
      "cannot tell that a key was used: spec.http.submit.reused is missing; add it, or set spec.capabilities.idempotency to None",
    field: "http",
  },
  {
    cel: "!self.capabilities.webhookAdoption || !has(self.http) || (has(self.http.webhook) && has(self.http.webhook.jobID))",
    holds: ({ capabilities, http }) => !capabilities.webhookAdoption || !http || http.webhook?.jobID !== undefined,
    message:
      "cannot adopt jobs by webhook: spec.http.webhook.jobID is missing; add it, or set spec.capabilities.webhookAdoption to false",
    field: "http",
  },
];

const WEBHOOK_RULES: readonly Rule<z.output<typeof Fields>>[] = [
  {
    cel: "self.network.allowPlainHTTP || !has(self.http) || !has(self.http.webhook) || !has(self.http.webhook.signature) || !has(self.http.webhook.signature.jwksURL) || self.http.webhook.signature.jwksURL.startsWith('https:')",
    holds: ({ http, network }) =>
      network.allowPlainHTTP || (http?.webhook?.signature?.jwksURL ?? "https:").startsWith("https:"),
    message:
      "cannot use a jwksURL without TLS: whoever is on the way could sign webhooks; write https://, or set spec.network.allowPlainHTTP for a model of your own",
    field: "http",
  },
];

export const ProviderSpec = obeying(Fields, [...RULES, ...LIST_RULES, ...WEBHOOK_RULES]);
export type ProviderSpec = z.infer<typeof ProviderSpec>;
export type HttpAdapterSpec = NonNullable<ProviderSpec["http"]>;

export const ProviderStatus = z.strictObject({
  observedGeneration: z.int().min(0).optional().describe("The metadata.generation that this was written for."),
  inFlight: z.int().min(0).optional().describe("Jobs that may be running at the provider."),
  waiting: z.int().min(0).optional().describe("Tasks that wait for the provider's quota."),
  conditions: Conditions.optional(),
});
export type ProviderStatus = z.infer<typeof ProviderStatus>;
