// A provider's JWKS: which of its keys may verify a webhook. Pure.
import { fieldOf, readJson } from "../json.ts";

const MAX_BYTES = 65_536;
const MAX_KEYS = 32;
const X = /^[A-Za-z0-9_-]{43}$/;

/**
 * The field x of each Ed25519 public key that is for signatures. A key of any other kind, or for anything else, is passed over: what a key may
 * verify follows from its own type, never from what a message says. Undefined: this is no JWKS.
 */
export function ed25519KeysOf(bytes: Uint8Array): readonly string[] | undefined {
  if (bytes.byteLength > MAX_BYTES) return undefined;
  const keys = fieldOf(readJson(bytes), "keys");
  if (!Array.isArray(keys)) return undefined;
  const fit = keys.slice(0, MAX_KEYS).flatMap((key: unknown) => (isForSignatures(key) ? xOf(key) : []));
  return [...new Set(fit)];
}

function isForSignatures(key: unknown): boolean {
  const operations = fieldOf(key, "key_ops");
  return (
    fieldOf(key, "kty") === "OKP" &&
    fieldOf(key, "crv") === "Ed25519" &&
    isAbsentOr(fieldOf(key, "use"), ["sig"]) &&
    isAbsentOr(fieldOf(key, "alg"), ["EdDSA", "Ed25519"]) &&
    (operations === undefined || (Array.isArray(operations) && operations.includes("verify")))
  );
}

function isAbsentOr(value: unknown, words: readonly string[]): boolean {
  return value === undefined || words.some((word) => word === value);
}

function xOf(key: unknown): readonly string[] {
  const x = fieldOf(key, "x");
  return typeof x === "string" && X.test(x) ? [x] : [];
}
