// From what was sent to what the route's schemas make of it, or a problem that names the fields and no values.
import type { z } from "zod";
import { Problem, type FieldError } from "../problems.ts";

const MAX_ERRORS = 10;
const MAX_DETAIL = 300;

/** For parameters and headers. Throws Problem. */
export function readParameters(schema: z.ZodType | undefined, given: unknown, what: string): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.map(String).join(".");
  const why = issue?.code === "unrecognized_keys" ? "there is no parameter of this name" : issue?.message;
  throw new Problem("invalid-request", {
    detail: bounded(`cannot read the ${what}${name ? ` ${name}` : ""}: ${why ?? "it is not valid"}`),
  });
}

/** For bodies. Throws Problem. */
export function readValue(schema: z.ZodType | undefined, given: unknown): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const errors: readonly FieldError[] = parsed.error.issues
    .slice(0, MAX_ERRORS)
    .map((issue) => ({ pointer: pointerOf(issue.path), detail: bounded(sentenceOf(issue)) }));
  throw new Problem("invalid-body", { detail: "cannot take the body: see errors for the fields and why", errors });
}

/** The schema's own words but where they quote what was sent: an unknown name may be anything. */
function sentenceOf({ code, message }: z.core.$ZodIssue): string {
  return code === "unrecognized_keys"
    ? "there is a field here that does not exist; see /openapi.json for those that do"
    : message;
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function bounded(text: string): string {
  return text.length <= MAX_DETAIL ? text : `${text.slice(0, MAX_DETAIL - 1)}…`;
}
