// Which namespaces may use a provider.
import type { ProviderSpec } from "./provider-resource.ts";
import { unreachable } from "./unreachable.ts";

/** Undefined when a label decides and the namespace's labels are not known yet. */
export function isAllowed(
  { from, names, selector }: ProviderSpec["allowedNamespaces"],
  namespace: string,
  labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined,
): boolean | undefined {
  switch (from) {
    case "All":
      return true;
    case "Names":
      return names?.includes(namespace) ?? false;
    case "Selector": {
      const labels = labelsOf(namespace);
      const wanted = Object.entries(selector?.matchLabels ?? {});
      return labels && wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
    }
    default:
      return unreachable(from);
  }
}
