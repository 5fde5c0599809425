// What every Kubernetes object has in common, and how it is named on the wire. Knows no kind in particular.

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Dates are RFC 3339 strings, as the API server sends them. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** A collection of the API. The core group is "". */
export interface ResourceKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** "namespace/name", or "name" for a cluster-scoped object. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

export function splitKey(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The URL path of a collection, an object or a subresource. */
export function pathOf(kind: ResourceKind, at: Place = {}): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const parts = [
    ...(kind.namespaced && at.namespace ? ["namespaces", at.namespace] : []),
    kind.plural,
    ...(at.name ? [at.name] : []),
    ...(at.name && at.subresource ? [at.subresource] : []),
  ];
  return [root, ...parts.map(encodeURIComponent)].join("/");
}

/** "v1" or "group/version", as `apiVersion` has it. */
export function apiVersionOf(kind: ResourceKind): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/**
 * Resource versions of one collection compared as integers of any length, as Kubernetes defines them since 1.35.
 * An empty one is older than any other.
 */
export function compareVersions(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : 1;
}

/** The default transform of a cache: managed fields are a fifth to a half of an object, and nobody reads them. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!object.metadata.managedFields) return object;
  const metadata: ObjectMeta & { managedFields?: unknown } = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}
