// What zod found, as one sentence for the person who wrote the object. Names fields, never values.
import type { z } from "zod";

const MAX_MESSAGE = 512;
const MAX_ISSUES = 5;

/**
 * "cannot read the task: spec.model: Too small; …", at most 512 characters. A rule's own message, which begins with
 * "cannot", stands for itself; the field is put before it unless it names it.
 */
export function sentenceOf(
  error: z.ZodError,
  { what, root }: { readonly what: string; readonly root: string },
): string {
  const parts = error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const field = pathTo(root, path);
    return message.includes(field) ? message : `${field}: ${message}`;
  });
  const text = parts.join("; ");
  return bounded(text.startsWith("cannot ") ? text : `cannot ${what}: ${text}`, MAX_MESSAGE);
}

/** A text of at most `most` characters, for a field of status or an event that has that limit. */
export function bounded(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function pathTo(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    root,
  );
}
