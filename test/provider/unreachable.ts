// The end of every switch on a union: a forgotten case is a type error, and a crash if it gets here all the same.

export function unreachable(value: never): never {
  throw new Error(`unreachable value: ${JSON.stringify(value)}`);
}
