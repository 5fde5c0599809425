// The credential of one provider, from the Secret in the operator's namespace that its spec names, and from no other.
import type { ProviderSpec } from "../task/provider-resource.ts";
import type { CredentialFound } from "./provider-conditions.ts";
import type { Secrets } from "./secrets.ts";

const MAX_CHARACTERS = 8192;
/** What may stand in an HTTP header. A line break at the end is the usual slip: `echo` makes one. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The key of the provider's webhooks. Undefined: its spec names none, or it can't be read. Throws like `findCredential`. */
export async function findWebhookSecret(
  secrets: Secrets,
  namespace: string,
  { http }: Pick<ProviderSpec, "http">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ref = http?.webhook?.signature?.secretRef;
  if (!ref) return undefined;
  const read = await secrets.read({ namespace, ...ref }, signal);
  return read.outcome === "read" && read.value.length <= MAX_CHARACTERS ? read.value : undefined;
}

/** Throws KubeError when the API can't be asked: the credential known so far is then the best one. */
export async function findCredential(
  secrets: Secrets,
  namespace: string,
  { credentials }: Pick<ProviderSpec, "credentials">,
  signal: AbortSignal,
): Promise<CredentialFound> {
  if (!credentials) return { state: "none-needed" };
  const { name, key } = credentials.secretRef;
  const read = await secrets.read({ namespace, name, key }, signal);
  if (read.outcome !== "read") return { state: "unavailable", message: read.message };
  if (read.value.length <= MAX_CHARACTERS && HEADER_VALUE.test(read.value)) return { state: "read", value: read.value };
  return {
    state: "malformed",
    message:
      `cannot use key ${key} of Secret ${name}: it is empty, too long, or holds a line break or another character ` +
      "that can't stand in an HTTP header; make it with --from-literal or printf, without a line break at its end",
  };
}
