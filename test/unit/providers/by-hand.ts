// Expressions as plain functions, for tests of what is made of their values; and answers without a wire.
import type { Expression, Variables } from "../../../operator/providers/expression.ts";
import { ExpressionFault } from "../../../operator/providers/expression.ts";
import type { WireAnswer } from "../../../operator/providers/wire.ts";

export type Read = (seen: Variables) => unknown;

export function byHand(read: Read): Expression {
  return Object.assign((seen: Variables) => read(seen), { loops: 0 });
}

/** Asks for what is not there, in CEL's own word for it. */
export function failing(code: string): Expression {
  return byHand(() => {
    throw new ExpressionFault(code);
  });
}

export const NOTHING = byHand(() => undefined);

export function answer(status: number, content: unknown, changes: Partial<WireAnswer> = {}): WireAnswer {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { ending: "answered", status, headers: {}, bytes: Buffer.from(text), flaw: undefined, ...changes };
}

export function bodyOf(seen: Variables): Readonly<Record<string, unknown>> {
  return (seen.response as { readonly body: Readonly<Record<string, unknown>> }).body;
}
