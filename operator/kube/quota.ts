// The limits in force, from the ConfigMap genop-quota in the operator's namespace: an entry per provider, live by watch.
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
import { admissionOf, type Quota } from "../task/quota.ts";
import { readQuotaText } from "./quota-text.ts";

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
  /** What is wrong now, by provider. Empty is good. */
  problems(): ReadonlyMap<string, string>;
  /** Called with the providers whose limits or standing changed: those who wait must be woken. */
  onChange(handler: (providers: readonly string[]) => void): void;
}

interface Entry {
  readonly text: string;
  readonly quota: Quota | undefined;
  readonly problem: string | undefined;
}

interface State {
  entries: ReadonlyMap<string, Entry>;
  isPresent: boolean;
  /** Present before, and deleted since. */
  wasDeleted: boolean;
}

type Source = Pick<Reflector<ConfigMapObject>, "hasSynced" | "onChange">;

/** `source` must reflect that one ConfigMap alone. */
export function makeQuotas(source: Source, log: Log = silent): LiveQuotas {
  const state: State = { entries: new Map(), isPresent: false, wasDeleted: false };
  const handlers: ((providers: readonly string[]) => void)[] = [];

  source.onChange((_, configMap) => {
    const changed = configMap ? take(state, configMap.data ?? {}) : noteDeletion(state);
    tell(state, changed, log);
    if (changed.length > 0) handlers.forEach((handler) => handler(changed));
  });

  const quota = (provider: string): Quota | undefined | "unknown" => {
    if (!source.hasSynced()) return "unknown";
    const entry = state.entries.get(provider);
    if (entry?.problem !== undefined && !entry.quota) return "unknown";
    return entry?.quota;
  };
  return {
    quota,
    admission: (provider, model, namespace) => {
      const inForce = quota(provider);
      return inForce === "unknown" ? "unknown" : admissionOf(inForce, model, namespace);
    },
    standing: (provider) =>
      source.hasSynced()
        ? standingOf(state, provider)
        : { state: "unread", message: `ConfigMap ${QUOTA_CONFIG_MAP} was not read yet: nothing is started` },
    problems: () =>
      new Map([...state.entries].flatMap(([name, { problem }]) => (problem === undefined ? [] : [[name, problem]]))),
    onChange: (handler) => void handlers.push(handler),
  };
}

/** Takes the texts as they are now; answers whose entry is not what it was. */
function take(state: State, data: Readonly<Record<string, string>>): readonly string[] {
  const before = state.entries;
  const wasWhole = state.isPresent;
  state.entries = new Map(Object.entries(data).map(([name, text]) => [name, entryOf(name, text, before.get(name))]));
  state.isPresent = true;
  state.wasDeleted = false;
  const names = new Set([...before.keys(), ...state.entries.keys()]);
  return [...names].filter((name) => !wasWhole || before.get(name) !== state.entries.get(name));
}

function entryOf(name: string, text: string, before: Entry | undefined): Entry {
  if (before?.text === text) return before;
  const read = readQuotaText(name, text);
  return read.outcome === "good"
    ? { text, quota: read.quota, problem: undefined }
    : { text, quota: before?.quota, problem: read.message };
}

function noteDeletion(state: State): readonly string[] {
  state.isPresent = false;
  state.wasDeleted = true;
  return [...state.entries.keys()];
}

function tell({ entries, wasDeleted }: State, changed: readonly string[], log: Log): void {
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
    const isInForce = entry.quota !== undefined;
    const then = isInForce ? "the last good limits stay in force" : "nothing is started until it is mended";
    return { state: "bad", message: `${entry.problem}; ${then}`, isInForce };
  }
  const gone = `ConfigMap ${QUOTA_CONFIG_MAP} was deleted: the last limits stay in force until it is there again`;
  if (state.wasDeleted && entry) return { state: "bad", message: gone, isInForce: true };
  if (entry) return { state: "limited", message: `limited by ConfigMap ${QUOTA_CONFIG_MAP}` };
  const why = state.isPresent ? `has no entry ${provider}` : "does not exist";
  return { state: "unlimited", message: `not limited: ConfigMap ${QUOTA_CONFIG_MAP} ${why}` };
}
