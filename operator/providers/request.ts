// From an expression's path to a request that stays inside the provider's base URL. Credentials are not put in here.
import type { AttemptId } from "../task/brand.ts";
import type { ProviderSpec } from "../task/provider-resource.ts";
import type { KnownJob, LostSubmit, SubmitRequest } from "../reconcile/ports.ts";
import type { Adapter } from "./adapter.ts";
import { writeJson } from "./json.ts";
import type { Variables } from "./expression.ts";
import type { WireRequest } from "./wire.ts";

/** What of the spec every request needs. */
export interface Address {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyHeader: string | undefined;
  /** Where the provider may tell of an attempt's job; "" where nobody listens. */
  readonly webhookUrl: WebhookUrl;
}

export type WebhookUrl = (attemptId: AttemptId) => string;

/** The part of the spec that is the same for every request. */
export function addressOf({ baseURL, http }: ProviderSpec, webhookUrl: WebhookUrl): Address {
  return { baseUrl: baseURL, headers: http?.headers ?? {}, idempotencyHeader: http?.idempotencyHeader, webhookUrl };
}

const MAX_PATH = 8192;
const MAX_BODY_BYTES = 1_048_576;
const DOT_SEGMENT = /(^|\/)(\.|%2e){1,2}(\/|$)/i;
// What the URL parser would drop, or read as something else.
const STRANGE = /[\s\\#]|[^\x21-\x7e]/;

/** Throws when the path is no path below the base URL. */
function urlOf(baseUrl: string, path: unknown): URL {
  if (typeof path !== "string" || !path.startsWith("/") || path.length > MAX_PATH || STRANGE.test(path))
    throw new Error("cannot build the request: its path must be printable, and begin with a slash");
  const [route = ""] = path.split("?", 1);
  if (DOT_SEGMENT.test(route)) throw new Error("cannot build the request: its path leads upwards");
  return new URL(`${baseUrl.replace(/\/+$/, "")}${path}`);
}

/** Throws when an expression fails, or gives a path or body that may not be sent. */
export function submitRequest(adapter: Adapter, address: Address, request: SubmitRequest): WireRequest {
  const variables = submitVariables(request, address.webhookUrl);
  const body = writeJson(adapter.submit.body(variables));
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw new Error("cannot build the request: its body is too long");
  return {
    method: adapter.submit.method,
    url: urlOf(address.baseUrl, adapter.submit.path(variables)),
    headers: {
      ...commonHeaders(address),
      "content-type": "application/json",
      ...(address.idempotencyHeader !== undefined && { [address.idempotencyHeader.toLowerCase()]: request.attemptId }),
    },
    body,
  };
}

/** A request without a body, such as a query. */
export function plainRequest(address: Address, method: WireRequest["method"], path: unknown): WireRequest {
  return { method, url: urlOf(address.baseUrl, path), headers: commonHeaders(address), body: undefined };
}

function commonHeaders(address: Address): Record<string, string> {
  return {
    accept: "application/json",
    "user-agent": "generation-operator",
    ...Object.fromEntries(Object.entries(address.headers).map(([name, value]) => [name.toLowerCase(), value])),
    "accept-encoding": "identity",
  };
}

export function submitVariables({ attemptId, model, input, task }: SubmitRequest, webhookUrl: WebhookUrl): Variables {
  return {
    task: { model, input, namespace: task.namespace, name: task.name, key: task.key },
    attempt: { id: attemptId, webhookURL: webhookUrl(attemptId) },
  };
}

/** `input` is for the comparison with what a list shows; empty where none is compared. */
export function searchVariables(
  { id, number, model, sentAt }: LostSubmit,
  input: Readonly<Record<string, unknown>> = {},
): Variables {
  // A Date of this realm, whichever the row's came from: CEL tells its types by their constructors.
  return {
    task: { model, input },
    attempt: { id, number: BigInt(number), webhookURL: "", sentAt: new Date(sentAt) },
  };
}

export function jobVariables({ id, number, model, jobId }: KnownJob): Variables {
  return { task: { model }, attempt: { id, number: BigInt(number), webhookURL: "", jobID: jobId } };
}
