// Which operation a method and a path mean. Pure.
import type { Operation } from "../record/requests.ts";

export interface Route {
  readonly operation: Operation;
  readonly names: readonly string[];
}

const ROUTES: readonly { readonly method: RegExp; readonly path: RegExp; readonly operation: Operation }[] = [
  { method: /^POST$/, path: /^\/v1\/jobs$/, operation: "submit" },
  { method: /^POST$/, path: /^\/v1\/moved\/jobs$/, operation: "redirected-submit" },
  { method: /^GET$/, path: /^\/v1\/jobs$/, operation: "list" },
  { method: /^GET$/, path: /^\/v1\/jobs\/([^/]+)$/, operation: "query" },
  { method: /^POST$/, path: /^\/v1\/jobs\/([^/]+)\/cancel$/, operation: "cancel" },
  { method: /^(GET|HEAD)$/, path: /^\/v1\/outputs\/([^/]+)\/([^/]+)$/, operation: "output" },
  { method: /^GET$/, path: /^\/v1\/usage$/, operation: "usage" },
];

export function routeOf(method: string, url: URL): Route {
  for (const route of ROUTES) {
    const match = route.method.test(method) ? route.path.exec(url.pathname) : null;
    if (!match) continue;
    const isLookUp = route.operation === "list" && url.searchParams.has("ref");
    return { operation: isLookUp ? "look-up" : route.operation, names: match.slice(1).map(decoded) };
  }
  return { operation: "unknown", names: [] };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
