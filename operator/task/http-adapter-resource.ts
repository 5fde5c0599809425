// The settings of the declarative HTTP adapter: how to talk to a provider, in CEL. They are compiled by the operator,
// which reports what does not compile in the provider's conditions.
import { z } from "zod";
import { expression } from "./fields.ts";
import { atMost, matching, obeying } from "./rule.ts";
import { UsageExport } from "./usage-resource.ts";
import { Webhook } from "./webhook-resource.ts";

const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const HEADER_MESSAGE = "cannot use this header: its name must be a letter and then letters, digits and '-', at most 64";

/** The name of an HTTP header. */
export function headerField(): z.ZodString {
  return matching(z.string().max(64), HEADER, HEADER_MESSAGE);
}

/** Printable text that can't end a header. */
export function headerTextField(max: number): z.ZodString {
  return matching(
    z.string().max(max),
    /^[ -~]*$/,
    "cannot send this as a header: only printable ASCII fits; remove line breaks and other characters",
  );
}

const Headers = obeying(atMost(z.record(z.string().max(64), headerTextField(1024)), 32), [
  {
    cel: "self.all(name, name.matches(r'^[A-Za-z][A-Za-z0-9-]{0,63}$'))",
    holds: (headers) => Object.keys(headers).every((name) => HEADER.test(name)),
    message: HEADER_MESSAGE,
  },
]);

const SubmitMethod = obeying(z.enum(["GET", "POST", "PUT", "PATCH"]), [
  {
    cel: "self != 'GET'",
    holds: (method) => method !== "GET",
    message:
      "cannot submit by GET: whatever lies between may repeat it, and it would be paid for twice; use POST or PUT",
  },
]);

export const HttpAdapter = z.strictObject({
  headers: Headers.optional().describe("Constant headers; no credentials here."),
  idempotencyHeader: headerField().optional().describe("The header that carries the attempt's id as idempotency key."),
  submit: z
    .strictObject({
      method: SubmitMethod.default("POST").describe("The HTTP method; never GET."),
      path: expression().describe("CEL: the path below baseURL, with its query."),
      body: expression().describe("CEL over task and attempt: what is sent, as JSON."),
      jobID: expression().describe("CEL over response: the job's id. No id in a 2xx answer means: unknown."),
      rejected: expression()
        .optional()
        .describe("CEL over response: true when a 2xx answer is a documented refusal, so that no job exists."),
      reused: expression()
        .optional()
        .describe(
          "CEL over response: true when the idempotency key is refused because it was used, so that a job exists; or that job's id. Required by capabilities.idempotency: RejectOnReuse.",
        ),
    })
    .describe("The one paid call: sent once, never repeated by itself."),
  query: z
    .strictObject({
      path: expression().describe("CEL: the path below baseURL."),
      state: expression().describe(
        'CEL: one of "Queued", "Running", "Succeeded", "Failed", "Cancelled", "Missing"; anything else is not terminal.',
      ),
      progress: expression().optional().describe("CEL: percent."),
      outputs: expression().optional().describe("CEL: a list of {url, name, mediaType, bytes}; only url is required."),
      cost: expression().optional().describe("CEL: credits billed, as a decimal string."),
      ref: expression()
        .optional()
        .describe(
          'CEL: the attempt.id that the job was submitted with, as the provider shows it; null or "" where it shows none.',
        ),
      failure: expression().optional().describe("CEL: the provider's word for why it failed."),
    })
    .describe("How a job's state is read."),
  lookUp: z
    .strictObject({
      path: expression().describe("CEL: the path below baseURL that finds a job by attempt.id."),
      jobID: expression().describe(
        'CEL over response: the job\'s id, or "" when there is none; what fails is no answer.',
      ),
    })
    .optional()
    .describe("How a job is found by our own id. Required by capabilities.lookupByClientID."),
  list: z
    .strictObject({
      path: expression().describe("CEL: the path below baseURL."),
      items: expression().describe("CEL over response: the list of jobs."),
      jobID: expression().describe("CEL over item: the entry's job id."),
      ref: expression().optional().describe("CEL over item: equals attempt.id when the job is ours."),
      match: expression()
        .optional()
        .describe(
          "CEL over item, task and attempt: true when the job looks like ours, by its time, model and input. For correlate: Heuristic.",
        ),
      next: expression()
        .optional()
        .describe('CEL over response: the path of the next page, or "" after the last. Absent: one page is all.'),
      maxPages: z
        .int()
        .min(1)
        .max(100)
        .default(10)
        .describe("A list that is longer proves nothing, and is read anew at the next look."),
    })
    .optional()
    .describe("How a job is found in a list: `item` is one entry. Required by capabilities.correlate."),
  cancel: z
    .strictObject({
      method: z.enum(["POST", "PUT", "DELETE"]).default("POST").describe("The HTTP method."),
      path: expression().describe("CEL: the path below baseURL."),
    })
    .optional()
    .describe("How a job is cancelled. Required by capabilities.cancel."),
  usage: UsageExport.optional().describe(
    "How the provider's bill is read, and held against the attempts. Absent: it is imported by hand, or not at all.",
  ),
  webhook: Webhook.optional().describe(
    "How what the provider sends to attempt.webhookURL is read. It only ever makes the operator ask the provider.",
  ),
});
