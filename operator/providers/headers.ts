// The headers that an author of a GenerationProvider may set, and the credential's own.
import type { ProviderSpec } from "../task/provider-resource.ts";
import type { Problem } from "./adapter.ts";

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
// Visible characters and spaces: no line can be smuggled in.
const VALUE = /^[\x20-\x7e]*$/;

// What the connection needs is ours; a body's form and the identity are said elsewhere in the spec.
const RESERVED: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function headerProblems({ http, credentials }: ProviderSpec): Problem[] {
  const named = [
    ...Object.keys(http?.headers ?? {}).map((name) => ({ field: `spec.http.headers.${name}`, name })),
    ...(http?.idempotencyHeader === undefined
      ? []
      : [{ field: "spec.http.idempotencyHeader", name: http.idempotencyHeader }]),
    ...(credentials === undefined ? [] : [{ field: "spec.credentials.header", name: credentials.header }]),
  ];
  return [
    ...named.flatMap(({ field, name }) => complain(field, nameProblem(name))),
    ...Object.entries(http?.headers ?? {}).flatMap(([name, value]) =>
      complain(`spec.http.headers.${name}`, VALUE.test(value) ? undefined : "a header cannot hold this value"),
    ),
    ...complain("spec.http.headers", isCredentialSet(http?.headers, credentials)),
  ];
}

const complain = (field: string, message: string | undefined): Problem[] =>
  message === undefined ? [] : [{ field, message }];

function nameProblem(name: string): string | undefined {
  if (!NAME.test(name)) return "is no name of a header";
  return RESERVED.has(name.toLowerCase()) ? "is not yours to set" : undefined;
}

function isCredentialSet(
  headers: Readonly<Record<string, string>> | undefined,
  credentials: ProviderSpec["credentials"],
): string | undefined {
  const names = Object.keys(headers ?? {}).map((name) => name.toLowerCase());
  const taken = new Set(["authorization", (credentials?.header ?? "authorization").toLowerCase()]);
  return names.some((name) => taken.has(name)) ? "credentials belong into spec.credentials" : undefined;
}

export type CredentialHeaders =
  | { readonly ok: true; readonly headers: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/** The header that shows the credential, if one is configured. The message never holds it. */
export function credentialHeaders(
  credentials: ProviderSpec["credentials"],
  credential: string | undefined,
): CredentialHeaders {
  if (credentials === undefined) return { ok: true, headers: {} };
  // A Secret made from a file ends in a line break.
  const value = credential?.trim() ?? "";
  const { name, key } = credentials.secretRef;
  if (value === "")
    return { ok: false, message: `spec.credentials.secretRef: Secret ${name} has no value under ${key}` };
  if (!VALUE.test(`${credentials.prefix}${value}`))
    return {
      ok: false,
      message: `spec.credentials.secretRef: the value under ${key} of Secret ${name} cannot be put into a header`,
    };
  return { ok: true, headers: { [credentials.header.toLowerCase()]: `${credentials.prefix}${value}` } };
}
