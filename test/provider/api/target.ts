// The URL of a request's target. Clients may send anything there; nothing of it may break the provider.
import type { IncomingMessage } from "node:http";

const BASE = "http://127.0.0.1";

/** Path and query are the client's; the host means nothing. A target that is no URL is read as the root. */
export function targetOf(request: IncomingMessage): URL {
  return URL.parse(request.url ?? "/", BASE) ?? new URL(BASE);
}
