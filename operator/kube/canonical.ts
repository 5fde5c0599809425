// JSON in one spelling, so that the same value always has the same hash, whoever wrote it and in whichever order.
import { createHash } from "node:crypto";

/** JSON with the keys of every object sorted; undefined members are left out, as JSON.stringify does. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  // Entries in order, and no prototype: "__proto__" is a key like any other.
  const ordered = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value).sort()) ordered[key] = sorted((value as Record<string, unknown>)[key]);
  return ordered;
}

/** SHA-256 of the UTF-8 text, in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
