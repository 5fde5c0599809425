// What every process does with its environment variables before it does anything else.

/** What is needed of a schema, such as one of zod's. */
interface Schema<T> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly message: string; readonly path: readonly PropertyKey[] }[];
        };
      };
}

/** Throws one error that lists every problem; values are not repeated, since some are secrets. */
export function readEnvironment<T extends object>(
  schema: Schema<T>,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<T> {
  // An empty value is an unset one, as in a Deployment whose optional Secret key is empty.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data);
  const problems = parsed.error.issues.map(({ message, path }) => `  ${path.join(".")}: ${message}`);
  throw new Error(`cannot start: the configuration is wrong\n${problems.join("\n")}`);
}
