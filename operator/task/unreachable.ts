/** The end of every switch over a union: a forgotten case is a type error today and a loud crash tomorrow. */
export function unreachable(value: never): never {
  throw new Error(`unreachable value: ${JSON.stringify(value)}`);
}
