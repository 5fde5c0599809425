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

export type Estimate =
  | { readonly outcome: "priced"; readonly amount: MicroCredits }
  | { readonly outcome: "unknown-model" }
  /** The price depends on a field that is no usable number. `message` names it. */
  | { readonly outcome: "unpriceable"; readonly message: string };

/** What a task of this model is expected to cost: the amount that is held. Never guessed low. */
export function estimateOf(settings: ProviderSettings, spec: TaskSpec): Estimate {
  const model = settings.models.find(({ name }) => name === spec.model);
  return model ? priceOf(model.price, spec) : { outcome: "unknown-model" };
}

function priceOf(price: ProviderSpec["models"][number]["price"], spec: TaskSpec): Estimate {
  const parts = [
    { credits: price.perRequest, field: undefined },
    { credits: price.perOutput, field: price.countField },
    { credits: price.perSecond, field: price.secondsField },
  ];
  let amount = 0n;
  for (const { credits, field } of parts) {
    if (credits === undefined) continue;
    const times = field === undefined ? 1n : quantity(field, spec);
    if (times === undefined) return { outcome: "unpriceable", message: unpriceable(field) };
    amount += (parseCredits(credits) ?? ZERO) * times;
  }
  return { outcome: "priced", amount: micro(amount) };
}

const MAX_QUANTITY = 1_000_000;

/** Rounded up; 1 when the field is absent. Undefined: it is not a number above 0, or one that nobody means, or a secret. */
function quantity(field: string, { input, inputFrom }: TaskSpec): bigint | undefined {
  if (inputFrom?.some(({ path }) => path === `/${field}` || path.startsWith(`/${field}/`))) return undefined;
  const value = numberOf((Object.hasOwn(input, field) ? input[field] : undefined) ?? 1);
  return value > 0 && value <= MAX_QUANTITY ? BigInt(Math.ceil(value)) : undefined;
}

/** As the provider would read it: some APIs take "5". NaN when it is no number. */
export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
}

function unpriceable(field = ""): string {
  return `cannot price spec.input.${field}: write a number above 0 and at most ${MAX_QUANTITY} there, and not by spec.inputFrom`;
}
