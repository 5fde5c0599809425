// The headers that an author of a GenerationProvider may set, and the credential's own.
import type { ProviderSpec } from "../task/provider-resource.ts";
import type { Problem } from "./adapter.ts";

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

/** What the schema does not know of header names. */
export function headerProblems({ http, credentials }: ProviderSpec): Problem[] {
  const constant = Object.keys(http?.headers ?? {});
  const named = [
    ...constant.map((name) => ({ field: `spec.http.headers.${name}`, name })),
    { field: "spec.http.idempotencyHeader", name: http?.idempotencyHeader ?? "" },
    { field: "spec.credentials.header", name: credentials?.header ?? "" },
  ];
  const reserved = named.filter(({ name }) => RESERVED.has(name.toLowerCase()));
  const secret = new Set(["authorization", (credentials?.header ?? "authorization").toLowerCase()]);
  const shown = constant.filter((name) => secret.has(name.toLowerCase()));
  return [
    ...reserved.map(({ field }) => ({
      field,
      message: "cannot set this header: the operator sets it itself; drop it",
    })),
    ...shown.map((name) => ({
      field: `spec.http.headers.${name}`,
      message: "cannot carry a credential here, where everybody can read it: use spec.credentials",
    })),
  ];
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
