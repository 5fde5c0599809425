// The parts of a GenerationProvider's spec that every adapter has.
import { z } from "zod";
import { MAX_NAME_LENGTH, creditsField, nameField, secondsField } from "./fields.ts";
import { atMost, distinct, matching, obeying } from "./rule.ts";

const inputField = (): z.ZodString =>
  matching(
    z.string().min(1).max(64),
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    "cannot use this field name: name one field of spec.input itself, in letters, digits and '_'",
  );

/** The estimate (what is held) is perRequest + perOutput × count + perSecond × seconds. */
export const Price = obeying(
  z.strictObject({
    perRequest: creditsField().optional().describe("Credits for the request itself."),
    perOutput: creditsField().optional().describe("Credits for each output asked for."),
    perSecond: creditsField().optional().describe("Credits for each second asked for."),
    countField: inputField()
      .optional()
      .describe("The field of spec.input that holds the number of outputs; absent: 1."),
    secondsField: inputField()
      .optional()
      .describe("The field of spec.input that holds the seconds; required by perSecond."),
  }),
  [
    {
      cel: "has(self.perRequest) || has(self.perOutput) || has(self.perSecond)",
      holds: (price) => (price.perRequest ?? price.perOutput ?? price.perSecond) !== undefined,
      message: 'cannot price this model: no amount is given; write perRequest: "0" for a model that costs nothing',
    },
    {
      cel: "!has(self.perSecond) || has(self.secondsField)",
      holds: (price) => price.perSecond === undefined || price.secondsField !== undefined,
      message:
        "cannot price by the second: secondsField is missing; name the field of spec.input that holds the seconds",
      field: "secondsField",
    },
  ],
);

const LABEL_KEY = /^([a-z0-9.-]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const MatchLabels = obeying(
  atMost(z.record(z.string().max(316), z.string().max(63).describe("The label's value.")), 16),
  [
    {
      cel: "size(self) > 0",
      holds: (labels) => Object.keys(labels).length > 0,
      message:
        "cannot select by no label, which is every namespace: name a label, or write allowedNamespaces.from: All",
    },
    {
      cel: "self.all(key, size(key) <= 316 && key.matches(r'^([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$'))",
      holds: (labels) => Object.keys(labels).every((key) => key.length <= 316 && LABEL_KEY.test(key)),
      message: "cannot select by this label: its key is none that a namespace can have; correct matchLabels",
    },
  ],
);

export const Namespaces = obeying(
  z.strictObject({
    from: z.enum(["All", "Selector", "Names"]).default("All").describe("How the namespaces are chosen."),
    names: distinct(z.array(nameField(MAX_NAME_LENGTH)).min(1).max(256))
      .optional()
      .describe("The namespaces, with from: Names."),
    selector: z
      .strictObject({ matchLabels: MatchLabels.describe("All must match.") })
      .optional()
      .describe("Labels of the namespaces, with from: Selector."),
  }),
  [
    {
      cel: "self.from != 'Selector' || has(self.selector)",
      holds: ({ from, selector }) => from !== "Selector" || selector !== undefined,
      message: "cannot select namespaces: allowedNamespaces.selector is missing; add it or choose another `from`",
      field: "selector",
    },
    {
      cel: "self.from != 'Names' || has(self.names)",
      holds: ({ from, names }) => from !== "Names" || names !== undefined,
      message: "cannot allow namespaces by name: allowedNamespaces.names is missing; add it or choose another `from`",
      field: "names",
    },
    {
      cel: "(self.from == 'Names' || !has(self.names)) && (self.from == 'Selector' || !has(self.selector))",
      holds: ({ from, names, selector }) =>
        (from === "Names" || names === undefined) && (from === "Selector" || selector === undefined),
      message: "cannot tell which namespaces are meant: names needs from: Names, and selector needs from: Selector",
    },
  ],
);

export const Timeouts = z.strictObject({
  connectSeconds: secondsField(60).default(5).describe("To connect, with TLS."),
  submitSeconds: secondsField(600).default(30).describe("For the whole submit; after it the outcome is unknown."),
  querySeconds: secondsField(120).default(10).describe("For one query, look-up or cancel."),
  jobSeconds: secondsField(604_800).default(1800).describe("For a job, from acceptance to its end."),
  fetchSeconds: secondsField(86_400).default(600).describe("For copying one output."),
});

const Host = matching(
  z.string().max(253),
  /^(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?$/,
  'cannot allow this host: write a host name without scheme or path, such as "cdn.acme.example" or "*.acme.example"',
);

export const Outputs = z.strictObject({
  hosts: distinct(z.array(Host).max(32))
    .default([])
    .describe("Hosts that outputs may come from; `*.` matches subdomains. The API's own host is always allowed."),
  ttlSeconds: secondsField(31_536_000).default(3600).describe("How long outputs can be fetched after the end."),
  refresh: z.boolean().default(true).describe("A new query of the job gives fresh URLs."),
  auth: z
    .enum(["None", "SameOrigin"])
    .default("None")
    .describe("Whether outputs on the API's own origin are fetched with its credential. Others never are."),
});

export const Capabilities = z.strictObject({
  idempotency: z
    .enum(["None", "Replay", "RejectOnReuse"])
    .default("None")
    .describe(
      "What a second submit with the same key does: make a job, answer as the first, or be refused (which shows that there is a job).",
    ),
  idempotencyWindowSeconds: secondsField(2_592_000).default(86_400).describe("How long the provider keeps a key."),
  lookupByClientID: z.boolean().default(false).describe("A job can be found by the id that we sent."),
  correlate: z
    .enum(["None", "Heuristic", "Exact"])
    .default("None")
    .describe("Whether a list of jobs can show that a job is ours. Only Exact can prove that there is none."),
  webhookAdoption: z.boolean().default(false).describe("A webhook may tell the id of a job whose answer was lost."),
  cancel: z
    .enum(["None", "Request", "Confirmed", "Destructive"])
    .default("None")
    .describe(
      "What cancel does: nothing, ask, end it for sure, or delete the job with its outputs. In each case it is watched until the provider says that it ended; where cancel ends or deletes it, that it is gone says so.",
    ),
  overLimit: z
    .enum(["Rejected", "Accepted"])
    .default("Rejected")
    .describe("Whether a submit over the provider's limit is refused, or queued and paid for. Without effect yet."),
});

/** How long and how often absence is looked for before it is believed, and before a person is asked. */
export const Unknown = obeying(
  z.strictObject({
    settleSeconds: z.int().min(0).max(86_400).default(60).describe("Before this, a job not found proves nothing."),
    misses: z.int().min(1).max(100).default(3).describe("How many look-ups in a row must find nothing."),
    patienceSeconds: secondsField(2_592_000).default(3600).describe("After this, unknownPolicy decides."),
    lateJobs: z
      .enum(["Discard", "Keep"])
      .default("Discard")
      .describe(
        "A job that turns up after its attempt was given up is cancelled where that is offered, or runs on and its outputs are kept for the task, if that is still there. The platform pays for it either way.",
      ),
  }),
  [
    {
      cel: "self.patienceSeconds >= self.settleSeconds",
      holds: ({ patienceSeconds, settleSeconds }) => patienceSeconds >= settleSeconds,
      message:
        "cannot give up before absence can be believed: spec.unknown.patienceSeconds must be at least settleSeconds",
      field: "patienceSeconds",
    },
  ],
);
