// Puts values of Secrets into a copy of a task's input. Holds them for the length of a submit and tells nobody.
import type { ResolvedInput } from "../reconcile/ports.ts";
import type { TaskSpec } from "../task/resource.ts";
import type { Secrets } from "./secrets.ts";

/** The input with the values of `inputFrom` at their places, or the first thing that is missing, by name. */
export async function resolveInput(
  secrets: Secrets,
  namespace: string,
  spec: Pick<TaskSpec, "input" | "inputFrom">,
  signal: AbortSignal,
): Promise<ResolvedInput> {
  const input = structuredClone(spec.input);
  for (const { path, secretKeyRef } of spec.inputFrom ?? []) {
    const read = await secrets.read({ namespace, ...secretKeyRef }, signal);
    if (read.outcome !== "read") return { outcome: "unavailable", message: read.message };
    const refused = putAt(input, path, read.value);
    if (refused !== undefined) {
      return { outcome: "unavailable", message: `cannot put a value at ${path} of spec.input: ${refused}` };
    }
  }
  return { outcome: "resolved", input };
}

/**
 * Puts `value` at a JSON pointer, making objects on the way where there is nothing yet. Says why it can't. Only own
 * members are followed: a path such as /__proto__/x reaches nothing that is not in the input.
 */
export function putAt(root: Record<string, unknown>, pointer: string, value: unknown): string | undefined {
  const parts = pointer.split("/").slice(1).map(unescaped);
  let at: object = root;
  for (const [index, part] of parts.entries()) {
    const refused = whyNot(at, part);
    if (refused !== undefined) return refused;
    if (index === parts.length - 1) {
      put(at, part, value);
      return undefined;
    }
    if (!Object.hasOwn(at, part)) put(at, part, {});
    const inner = (at as Record<string, unknown>)[part];
    if (typeof inner !== "object" || inner === null) return `${part} is neither an object nor a list`;
    at = inner;
  }
  return "it names no place";
}

/** A list takes values at places that it has, and at its end. */
function whyNot(at: object, part: string): string | undefined {
  if (!Array.isArray(at)) return undefined;
  if (!/^(0|[1-9][0-9]{0,5})$/.test(part) || Number(part) > at.length) return `${part} is no place in the list`;
  return undefined;
}

function put(at: object, part: string, value: unknown): void {
  Object.defineProperty(at, part, { value, writable: true, enumerable: true, configurable: true });
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
