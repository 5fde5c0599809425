// The forms of `-o`: one for people, with more columns when asked, and three for programs.
import { stringify } from "yaml";

export const FORMATS = ["json", "yaml", "wide", "name"] as const;
/** `table`: what is printed without `-o`. */
export type Format = (typeof FORMATS)[number] | "table";

/** An object for programs. */
export function document(value: unknown, format: "json" | "yaml"): string {
  return format === "json"
    ? JSON.stringify(value, undefined, 4)
    : stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}

export function isForPrograms(format: Format): format is "json" | "yaml" {
  return format === "json" || format === "yaml";
}
