// A provider as decisions see it: settings and conditions as plain data. Talking to it is a port's work.
import { ZERO, micro, parseCredits } from "./credits.ts";
import type { MicroCredits } from "./brand.ts";
import type { ProviderSpec } from "./provider-resource.ts";
import type { TaskSpec } from "./resource.ts";

export interface ProviderSettings {
  readonly name: string;
  readonly models: ProviderSpec["models"];
  readonly timeouts: ProviderSpec["timeouts"];
  readonly outputs: ProviderSpec["outputs"];
  readonly capabilities: ProviderSpec["capabilities"];
  readonly unknown: ProviderSpec["unknown"];
}

/** What is known of the provider that a task names, at this moment, from this namespace. */
export type ProviderSeen =
  | { readonly state: "absent" }
  | { readonly state: "not-allowed" }
  /** Exists, and can't be used now: unreadable expressions, no credential, … `message` says which field. */
  | { readonly state: "not-ready"; readonly settings: ProviderSettings | undefined; readonly message: string }
  | { readonly state: "ready"; readonly settings: ProviderSettings };

/** The settings, whether it can be used right now or not: what has begun must be brought to its end. */
export function settingsOf(seen: ProviderSeen): ProviderSettings | undefined {
  return seen.state === "ready" || seen.state === "not-ready" ? seen.settings : undefined;
}

/** What a task of this model is expected to cost: the amount that is held. Undefined: the model is unknown. */
export function estimateOf(settings: ProviderSettings, spec: TaskSpec): MicroCredits | undefined {
  const model = settings.models.find(({ name }) => name === spec.model);
  return model && priceOf(model.price, spec.input);
}

function priceOf(price: ProviderSpec["models"][number]["price"], input: TaskSpec["input"]): MicroCredits {
  const count = quantity(price.countField, input);
  const seconds = quantity(price.secondsField, input);
  const part = (text: string | undefined, times: bigint): bigint => (parseCredits(text ?? "0") ?? ZERO) * times;
  return micro(part(price.perRequest, 1n) + part(price.perOutput, count) + part(price.perSecond, seconds));
}

/** A positive whole number from the input, rounded up; 1 when the field is absent or is not a number (some APIs take "5"). */
function quantity(field: string | undefined, input: TaskSpec["input"]): bigint {
  const value = field === undefined ? 1 : Number(input[field] ?? 1);
  return Number.isFinite(value) && value > 0 && value <= 1_000_000 ? BigInt(Math.ceil(value)) : 1n;
}
