// Downloads through the guard: redirects are walked by hand, each hop is held to the same rules, a credential is shown to its own
// origin alone. Streams; what is done with the bytes is the caller's matter.
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { makeGuardedDispatcher, type DispatcherPolicy } from "./dispatcher.ts";
import { AnswerFault, NotSentFault } from "./fault.ts";
import { makeLimit, type Limit } from "./limit.ts";
import { readUrl, type UrlRules } from "./url.ts";

export interface Credential {
  /** `https://host[:port]` as URL.origin writes it. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface GetOrder {
  readonly url: string;
  readonly rules: UrlRules;
  readonly method?: "GET" | "HEAD";
  /** Sent on every hop: nothing secret. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: Credential | undefined;
  /** For connecting and for the answer's headers, on each hop. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of the body. No limit on the whole: that is the caller's. */
  readonly bodyGapMs: number;
  readonly maxRedirects?: number;
  /** Ends the call and the body. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names; repeated headers joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Errors end it; `wordFor` gives their stable word. */
  readonly body: Readable;
  /** Of the last hop, for messages. */
  readonly host: string;
  /** Ends the transfer and its connection. Harmless after the end. */
  destroy(): void;
}

export interface Outbound {
  /**
   * One GET or HEAD with its redirects. Any status that is no redirect is an answer, and its body must be read or destroyed.
   * Throws a NotSentFault (guard, name, connect, TLS), an AnswerFault, or what the connection throws.
   */
  get(order: GetOrder): Promise<Answer>;
  /** Lets transfers under way come to their end. */
  close(): Promise<void>;
}

const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function makeOutbound(policy: DispatcherPolicy): Outbound {
  const dispatcher = makeGuardedDispatcher(policy);
  return {
    get: async (order) => {
      let url = readUrl(order.url, order.rules);
      for (let hops = 0; hops <= (order.maxRedirects ?? MAX_REDIRECTS); hops++) {
        const answer = await ask(dispatcher, url, order);
        const { location } = answer.headers;
        if (!REDIRECTS.has(answer.status) || location === undefined) return checked(answer);
        answer.destroy();
        url = readUrl(URL.parse(location, url.href)?.href ?? "", order.rules);
      }
      throw new NotSentFault("guard-redirects", "there are too many redirects");
    },
    close: () => dispatcher.close(),
  };
}

async function ask(dispatcher: Dispatcher, url: URL, order: GetOrder): Promise<Answer> {
  const late = new AnswerFault("headers-timeout", "its headers did not come in time");
  const limit = makeLimit(order.signal, order.headersTimeoutMs, () => late);
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: order.method ?? "GET",
      headers: headersFor(url, order),
      bodyTimeout: order.bodyGapMs,
      signal: limit.signal,
    });
    limit.lift();
    return answerOf(answer, url, limit);
  } catch (error) {
    limit.clear();
    throw error;
  }
}

function headersFor(url: URL, { headers, credential }: GetOrder): Record<string, string> {
  return {
    ...headers,
    // Bytes are counted as they are stored; a compressed bomb must not come into being.
    "accept-encoding": "identity",
    ...(credential?.origin === url.origin ? credential.headers : {}),
  };
}

function answerOf({ statusCode, headers, body }: Dispatcher.ResponseData, url: URL, limit: Limit): Answer {
  body.once("close", () => limit.clear());
  return {
    status: statusCode,
    headers: joinHeaders(headers),
    body,
    host: url.host,
    destroy: () => {
      body.on("error", () => undefined); // the end that we asked for
      body.destroy();
    },
  };
}

function checked(answer: Answer): Answer {
  const encoding = answer.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() === "identity") return answer;
  answer.destroy();
  throw new AnswerFault("encoded-answer", "it is compressed although it was asked for as it is");
}

/** Headers as one value a name. */
export function joinHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
