// One page of a list that a provider shows: its entries, and the path of the page after it.
import { ExpressionFault, type Expression, type Variables } from "./expression.ts";

const MAX_ITEMS = 1000;

/** Or the word for why they can't be read. */
export function itemsOf({ items }: { readonly items: Expression }, seen: Variables): readonly unknown[] | string {
  try {
    const value = items(seen);
    if (!Array.isArray(value)) return "unreadable-items";
    return value.length > MAX_ITEMS ? "too-many-items" : value;
  } catch {
    return "unreadable-items";
  }
}

/** Undefined after the last page. Null when it can't be read: what may be a list in part is no list. */
export function nextOf(
  { next }: { readonly next: Expression | undefined },
  seen: Variables,
): string | undefined | null {
  if (!next) return undefined;
  try {
    const path = next(seen);
    if (path === null || path === "") return undefined;
    return typeof path === "string" ? path : null;
  } catch (error) {
    return error instanceof ExpressionFault && error.code === "no_such_key" ? undefined : null;
  }
}
