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

// What the schema's own rules cannot see.
function problemsOf(spec: ProviderSpec): Problem[] {
  const address = URL.canParse(spec.baseURL)
    ? []
    : [
        {
          field: "spec.baseURL",
          message: "cannot use this baseURL: it cannot be read as a URL; correct its host or port",
        },
      ];
  return [...address, ...headerProblems(spec)];
}
