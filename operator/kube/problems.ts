// What zod found, as one sentence for the person who wrote the object. Names fields, never values.
import type { z } from "zod";

const MAX_MESSAGE = 512;

/** "spec.model: Too small: expected string to have >=1 characters; …", at most 512 characters. */
export function sentenceOf(error: z.ZodError, root: string): string {
  const parts = error.issues.slice(0, 5).map((issue) => `${pathTo(root, issue.path)}: ${issue.message}`);
  return bounded(parts.join("; "), MAX_MESSAGE);
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
