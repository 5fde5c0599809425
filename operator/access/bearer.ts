// The caller's token in the headers of a request. Knows two places, and what a token may look like.
import type { IncomingHttpHeaders } from "node:http";

/**
 * Where the token stands when the request comes through the API server's proxy to a Service: the API server takes Authorization
 * for itself and does not hand it on.
 */
export const PROXIED_HEADER = "x-genop-authorization";

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,16384})$/i;

/** Undefined when there is none, or none that could be a token. Authorization comes first. */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers.authorization ?? headers[PROXIED_HEADER];
  return typeof given === "string" ? BEARER.exec(given)?.[1] : undefined;
}
