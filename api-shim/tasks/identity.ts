// What makes two requests the same request: the object's name follows from namespace and key, so that the API server itself
// lets only one of them through, and a fingerprint of the body tells whether they also ask for the same.
import { canonicalJson, sha256 } from "../../operator/kube/canonical.ts";

export const FINGERPRINT_ANNOTATION = "genop.dev/request-fingerprint";

const HEX_DIGITS = 40;

/** The same in every replica, for ever: a change of this function breaks the promise of every key in use. */
export function taskNameOf(namespace: string, key: string): string {
  return `rest-${sha256(`${namespace}/${key}`).slice(0, HEX_DIGITS)}`;
}

/** Of the body as it was given, whatever the order of its fields. Defaults are not filled in, so that a new one changes nothing. */
export function fingerprintOf(body: unknown): string {
  return `v1:${sha256(canonicalJson(body))}`;
}

/** The header, with or without the quotes that a structured field has. The key itself is spec.idempotencyKey's. */
export const KEY_HEADER = /^([A-Za-z0-9][A-Za-z0-9._:-]{0,127}|"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")$/;

/** The key that the header names. Undefined when it is none. */
export function readKey(header: string): string | undefined {
  return KEY_HEADER.test(header) ? header.replaceAll('"', "") : undefined;
}
