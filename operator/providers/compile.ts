// From the text of a GenerationProvider to something that can be used, or to what is wrong with it, field by field. Does no I/O.
import type { ProviderSettings } from "../task/provider.ts";
import { ProviderSpec } from "../task/provider-resource.ts";
import { compileAdapter, type Adapter, type Problem } from "./adapter.ts";
import { headerProblems } from "./headers.ts";

export type CompiledProvider =
  | {
      readonly ok: true;
      readonly spec: ProviderSpec;
      readonly settings: ProviderSettings;
      readonly adapter: Adapter;
    }
  | {
      readonly ok: false;
      /** Undefined when the spec itself cannot be read. */
      readonly spec: ProviderSpec | undefined;
      readonly settings: ProviderSettings | undefined;
      readonly problems: readonly Problem[];
    };

/** Reads and checks a spec as it is in the object. Never throws. */
export function compileProvider(spec: unknown, name: string): CompiledProvider {
  const parsed = ProviderSpec.safeParse(spec);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({
      field: ["spec", ...path.map(String)].join("."),
      message,
    }));
    return { ok: false, spec: undefined, settings: undefined, problems };
  }
  const settings = settingsFrom(parsed.data, name);
  const problems: Problem[] = [];
  const adapter = parsed.data.http && compileAdapter(parsed.data.http, (problem) => problems.push(problem));
  problems.push(...problemsOf(parsed.data));
  return adapter && problems.length === 0
    ? { ok: true, spec: parsed.data, settings, adapter }
    : { ok: false, spec: parsed.data, settings, problems };
}

function settingsFrom(spec: ProviderSpec, name: string): ProviderSettings {
  const { models, timeouts, outputs, capabilities, unknown } = spec;
  return { name, models, timeouts, outputs, capabilities, unknown };
}

interface Rule {
  readonly field: string;
  readonly message: string;
  readonly isBroken: (spec: ProviderSpec) => boolean;
}

// A capability that nothing carries out would be found out in the worst moment: while a paid job is being looked for.
const RULES: readonly Rule[] = [
  {
    field: "spec.http",
    message: "the adapter http needs it",
    isBroken: ({ http }) => http === undefined,
  },
  {
    field: "spec.baseURL",
    message: "plain http needs spec.network.allowPlainHTTP: true",
    isBroken: ({ baseURL, network }) => baseURL.startsWith("http:") && !network.allowPlainHTTP,
  },
  {
    field: "spec.baseURL",
    message: "cannot be read as a URL",
    isBroken: ({ baseURL }) => !URL.canParse(baseURL),
  },
  {
    field: "spec.http.submit.method",
    message: "a submit must not be a GET: whatever lies between may repeat it",
    isBroken: ({ http }) => http?.submit.method === "GET",
  },
  {
    field: "spec.capabilities.idempotency",
    message: "nothing carries the key: set spec.http.idempotencyHeader, or use attempt.id in spec.http.submit.body",
    isBroken: ({ http, capabilities }) =>
      capabilities.idempotency !== "None" &&
      http?.idempotencyHeader === undefined &&
      http?.submit.body.includes("attempt.id") === false,
  },
  {
    field: "spec.capabilities.lookupByClientID",
    message: "needs spec.http.lookUp",
    isBroken: ({ http, capabilities }) => capabilities.lookupByClientID && http?.lookUp === undefined,
  },
  {
    field: "spec.capabilities.correlate",
    message: "needs spec.http.list",
    isBroken: ({ http, capabilities }) => capabilities.correlate !== "None" && http?.list === undefined,
  },
  {
    field: "spec.capabilities.cancel",
    message: "needs spec.http.cancel",
    isBroken: ({ http, capabilities }) => capabilities.cancel !== "None" && http?.cancel === undefined,
  },
  {
    field: "spec.allowedNamespaces.names",
    message: "from: Names needs it",
    isBroken: ({ allowedNamespaces: { from, names } }) => from === "Names" && names === undefined,
  },
  {
    field: "spec.allowedNamespaces.selector.matchLabels",
    message: "from: Selector needs it",
    isBroken: ({ allowedNamespaces: { from, selector } }) =>
      from === "Selector" && Object.keys(selector?.matchLabels ?? {}).length === 0,
  },
];

function problemsOf(spec: ProviderSpec): Problem[] {
  const broken = RULES.filter(({ isBroken }) => isBroken(spec)).map(({ field, message }) => ({ field, message }));
  const unpriced = spec.models.flatMap(({ price }, index) =>
    price.perSecond !== undefined && price.secondsField === undefined
      ? [{ field: `spec.models.${index}.price.secondsField`, message: "perSecond needs it" }]
      : [],
  );
  return [...broken, ...unpriced, ...headerProblems(spec)];
}
