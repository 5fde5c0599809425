// Single values out of Secrets, read by name when needed. Nothing is listed or watched, so that the right to `get` is
// enough; what was read is forgotten after some seconds, so that a rotated value is soon the one in use.
import type { Clock } from "../runtime/clock.ts";
import { KubeError } from "../runtime/errors.ts";
import type { KubeObject } from "../runtime/objects.ts";
import type { Resource } from "../runtime/resources.ts";

export interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

export type SecretRead =
  | { readonly outcome: "read"; readonly value: string }
  /** `message` names the Secret and the key, never a value. */
  | {
      readonly outcome: "absent" | "forbidden" | "unusable";
      readonly message: string;
    };

export interface Secrets {
  /** The value as text. Throws KubeError when the API can't be asked: nothing is then known of the Secret. */
  read(place: SecretPlace, signal: AbortSignal): Promise<SecretRead>;
}

export interface SecretSettings {
  /** How long an answer is used again. 0: never. */
  readonly keepMs: number;
  readonly maxKept: number;
}

const SETTINGS: SecretSettings = { keepMs: 5_000, maxKept: 256 };
const MAX_VALUE_BYTES = 64 * 1024;
const READ_MS = 10_000;

type Data = Readonly<Record<string, string>>;
type Answer = Data | "absent" | "forbidden";

export function makeSecrets(deps: {
  readonly resource: Pick<Resource<SecretObject>, "get">;
  readonly clock: Clock;
  readonly settings?: Partial<SecretSettings>;
}): Secrets {
  const { resource, clock } = deps;
  const { keepMs, maxKept } = { ...SETTINGS, ...deps.settings };
  const kept = new Map<string, { readonly answer: Answer; readonly untilMs: number }>();

  async function answerOf(secretKey: string, signal: AbortSignal): Promise<Answer> {
    const known = kept.get(secretKey);
    if (known && known.untilMs > clock.monotonicMs()) return known.answer;
    kept.delete(secretKey);

    const answer = await live(resource, secretKey, signal);
    if (keepMs > 0 && typeof answer === "object") {
      kept.set(secretKey, { answer, untilMs: clock.monotonicMs() + keepMs });
      if (kept.size > maxKept) forgetOldest(kept);
    }
    return answer;
  }

  return {
    read: async (place, signal) => valueOf(await answerOf(`${place.namespace}/${place.name}`, signal), place),
  };
}

async function live(
  resource: Pick<Resource<SecretObject>, "get">,
  secretKey: string,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const secret = await resource.get(secretKey, { signal, timeoutMs: READ_MS });
    return secret ? (secret.data ?? {}) : "absent";
  } catch (error) {
    if (error instanceof KubeError && error.status === 403) return "forbidden";
    throw error;
  }
}

function valueOf(answer: Answer, { namespace, name, key }: SecretPlace): SecretRead {
  const secret = `Secret ${name} in namespace ${namespace}`;
  if (answer === "absent") return { outcome: "absent", message: `cannot read ${secret}: it does not exist` };
  if (answer === "forbidden") {
    return { outcome: "forbidden", message: `cannot read ${secret}: the operator has no right to get Secrets there` };
  }
  const encoded = Object.hasOwn(answer, key) ? answer[key] : undefined;
  if (encoded === undefined) return { outcome: "absent", message: `cannot read ${secret}: it has no key ${key}` };

  const unusable = (why: string): SecretRead => ({
    outcome: "unusable",
    message: `cannot use key ${key} of ${secret}: ${why}`,
  });
  if (encoded.length > (MAX_VALUE_BYTES * 4) / 3 + 4)
    return unusable(`it is larger than ${MAX_VALUE_BYTES / 1024} KiB`);
  const value = textOf(encoded);
  return value === undefined ? unusable("it is not UTF-8 text") : { outcome: "read", value };
}

function textOf(encoded: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, "base64"));
  } catch {
    return undefined;
  }
}

function forgetOldest(kept: Map<string, unknown>): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
