// Status is written when it says something else, and only what differs. Compares meaning, not text.

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/**
 * The smallest JSON merge patch that turns `previous` into `next`; undefined when they mean the same. Fields that are
 * absent, undefined or null are the same. Lists are replaced whole, as merge patches do. Both are JSON-like objects.
 */
export function statusPatch(previous: unknown, next: unknown): JsonObject | undefined {
  const before = fieldsOf(previous);
  const after = fieldsOf(next);
  const patch: Record<string, JsonValue> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const change = changeOf(before[name], after[name]);
    if (change !== undefined) patch[name] = change;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** The same meaning: the order of fields and absent fields do not count, the order of lists does. */
export function semanticallyEqual(a: unknown, b: unknown): boolean {
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, at) => semanticallyEqual(value, b[at]));
  }
  if (isObject(a) && isObject(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => semanticallyEqual(a[name], b[name]));
  }
  return a === b;
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/**
 * `lastTransitionTime` is kept while the status of a condition stays the same, and is `now` otherwise. The order is that
 * of `next`; conditions that it does not name are dropped.
 */
export function mergeConditions(
  previous: readonly Condition[] | undefined,
  next: readonly Omit<Condition, "lastTransitionTime">[],
  now: Date,
): readonly Condition[] {
  return next.map((condition) => {
    const before = previous?.find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status;
    return { ...condition, lastTransitionTime: isSame ? before.lastTransitionTime : secondsOf(now) };
  });
}

/** metav1.Time: whole seconds. */
export function secondsOf(date: Date): string {
  return date.toISOString().replace(/\.\d{3}Z$/, "Z");
}

// The patch of one field; undefined when it means the same.
function changeOf(before: unknown, after: unknown): JsonValue | undefined {
  if (semanticallyEqual(before, after)) return undefined;
  if (isAbsent(after)) return null;
  return isObject(before) && isObject(after) ? statusPatch(before, after) : plain(after);
}

// A new value as it must be written: absent fields inside would otherwise travel as null.
function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value, (_, inner: unknown) => (inner === null ? undefined : inner))) as JsonValue;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
