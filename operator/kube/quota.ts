// The limits in force, from the ConfigMap genop-quota in the operator's namespace: an entry per provider and one for the budgets
// of namespaces, live by watch.
//
//   before the first read             → unknown: nothing is admitted
//   entry good                        → its limits
//   entry bad                         → its last good limits; unknown when there are none (a bad edit, then a restart)
//   entry absent                      → no limits, and `standing` says so
//   ConfigMap absent from the start   → no limits for anybody, and `standing` says so
//   ConfigMap deleted while we run    → the last limits stay: a delete-and-create must not open the gate in between
import { EVENTS } from "../observe/events.ts";
import type { Quotas } from "../reconcile/ports.ts";
import { silent, type Log } from "../runtime/log.ts";
import type { KubeObject } from "../runtime/objects.ts";
import type { Reflector } from "../runtime/reflector.ts";
import { BUDGETS_ENTRY, budgetOf, type Budgets } from "../task/budget.ts";
import { admissionOf, type Quota } from "../task/quota.ts";
import { readBudgetsText, readQuotaText, type EntryText } from "./quota-text.ts";

export const QUOTA_CONFIG_MAP = "genop-quota";

export interface ConfigMapObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** How a provider stands with the quota; `message` is for its condition. */
export type QuotaStanding =
  | { readonly state: "unread"; readonly message: string }
  | { readonly state: "limited"; readonly message: string }
  | { readonly state: "unlimited"; readonly message: string }
  /** `isInForce`: its last good limits are. Otherwise nothing is admitted. */
  | { readonly state: "bad"; readonly message: string; readonly isInForce: boolean };

export interface LiveQuotas extends Quotas {
  /** The whole entry in force, for limits other than admission; "unknown" when nothing may be started. */
  quota(provider: string): Quota | undefined | "unknown";
  standing(provider: string): QuotaStanding;
  /** What is wrong now, by entry. Empty is good. */
  problems(): ReadonlyMap<string, string>;
  /** Called with the entries whose limits or standing changed, by provider or `BUDGETS_ENTRY`: those who wait must be woken. */
  onChange(handler: (entries: readonly string[]) => void): void;
}

interface Entry<Value> {
  readonly text: string;
  /** The last good one. */
  readonly value: Value | undefined;
  readonly problem: string | undefined;
}

interface State {
  entries: ReadonlyMap<string, Entry<Quota>>;
  budgets: Entry<Budgets> | undefined;
  isPresent: boolean;
  /** Present before, and deleted since. */
  wasDeleted: boolean;
}

type Source = Pick<Reflector<ConfigMapObject>, "hasSynced" | "onChange">;

/** `source` must reflect that one ConfigMap alone. */
export function makeQuotas(source: Source, log: Log = silent): LiveQuotas {
  const state: State = { entries: new Map(), budgets: undefined, isPresent: false, wasDeleted: false };
  const handlers: ((entries: readonly string[]) => void)[] = [];

  source.onChange((_, configMap) => {
    const changed = configMap ? take(state, configMap.data ?? {}) : noteDeletion(state);
    tell(state, changed, log);
    if (changed.length > 0) handlers.forEach((handler) => handler(changed));
  });

  const inForce = <Value>(entry: Entry<Value> | undefined): Value | undefined | "unknown" => {
    if (!source.hasSynced()) return "unknown";
    return entry?.problem !== undefined && entry.value === undefined ? "unknown" : entry?.value;
  };
  const quota = (provider: string): Quota | undefined | "unknown" => inForce(state.entries.get(provider));
  return {
    quota,
    budget: (namespace) => {
      const budgets = inForce(state.budgets);
      return budgets === "unknown" ? "unknown" : budgetOf(budgets, namespace);
    },
    admission: (provider, model, namespace) => {
      const limits = quota(provider);
      return limits === "unknown" ? "unknown" : admissionOf(limits, model, namespace);
    },
    standing: (provider) =>
      source.hasSynced()
        ? standingOf(state, provider)
        : { state: "unread", message: `ConfigMap ${QUOTA_CONFIG_MAP} was not read yet: nothing is started` },
    problems: () =>
      new Map([...entriesOf(state)].flatMap(([name, { problem }]) => (problem === undefined ? [] : [[name, problem]]))),
    onChange: (handler) => void handlers.push(handler),
  };
}

function entriesOf({ budgets, entries }: State): ReadonlyMap<string, Entry<unknown>> {
  return budgets ? new Map<string, Entry<unknown>>([...entries, [BUDGETS_ENTRY, budgets]]) : entries;
}

/** Takes the texts as they are now; answers whose entry is not what it was. */
function take(state: State, data: Readonly<Record<string, string>>): readonly string[] {
  const before = entriesOf(state);
  const wasWhole = state.isPresent;
  const { [BUDGETS_ENTRY]: budgets, ...quotas } = data;
  const quotaOf = (name: string, text: string): Entry<Quota> =>
    entryOf(text, state.entries.get(name), () => readQuotaText(name, text));
  state.entries = new Map(Object.entries(quotas).map(([name, text]) => [name, quotaOf(name, text)]));
  state.budgets = budgets === undefined ? undefined : entryOf(budgets, state.budgets, () => readBudgetsText(budgets));
  state.isPresent = true;
  state.wasDeleted = false;
  const after = entriesOf(state);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !wasWhole || before.get(name) !== after.get(name));
}

function entryOf<Value>(text: string, before: Entry<Value> | undefined, read: () => EntryText<Value>): Entry<Value> {
  if (before?.text === text) return before;
  const found = read();
  return found.outcome === "good"
    ? { text, value: found.value, problem: undefined }
    : { text, value: before?.value, problem: found.message };
}

function noteDeletion(state: State): readonly string[] {
  state.isPresent = false;
  state.wasDeleted = true;
  return [...entriesOf(state).keys()];
}

function tell(state: State, changed: readonly string[], log: Log): void {
  const { wasDeleted } = state;
  const entries = entriesOf(state);
  if (wasDeleted) log("warn", EVENTS.quotaDeleted, { configMap: QUOTA_CONFIG_MAP });
  for (const provider of wasDeleted ? [] : changed) {
    const problem = entries.get(provider)?.problem;
    if (problem === undefined) log("info", EVENTS.quotaChanged, { provider });
    else log("warn", EVENTS.quotaInvalid, { provider, problem });
  }
}

function standingOf(state: State, provider: string): QuotaStanding {
  const entry = state.entries.get(provider);
  if (entry?.problem !== undefined) {
    const isInForce = entry.value !== undefined;
    const then = isInForce ? "the last good limits stay in force" : "nothing is started until it is mended";
    return { state: "bad", message: `${entry.problem}; ${then}`, isInForce };
  }
  const gone = `ConfigMap ${QUOTA_CONFIG_MAP} was deleted: the last limits stay in force until it is there again`;
  if (state.wasDeleted && entry) return { state: "bad", message: gone, isInForce: true };
  if (entry) return { state: "limited", message: `limited by ConfigMap ${QUOTA_CONFIG_MAP}` };
  const why = state.isPresent ? `has no entry ${provider}` : "does not exist";
  return { state: "unlimited", message: `not limited: ConfigMap ${QUOTA_CONFIG_MAP} ${why}` };
}
