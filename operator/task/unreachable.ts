/** The end of every switch over a union: a forgotten case is a type error today and a loud crash tomorrow. */
export function unreachable(value: never): never {
  throw new Error(`unreachable value: ${nameOf(value)}`);
}

/** The word that tells members of a union apart, alone: what else they hold may be a secret, or an amount that JSON has no form for. */
function nameOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { outcome, state, type } = value as Readonly<Record<string, unknown>>;
  return String(outcome ?? state ?? type);
}
