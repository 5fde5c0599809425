// The labels of namespaces, for spec.allowedNamespaces of providers.
import type { KubeObject } from "../runtime/objects.ts";
import type { Reflector } from "../runtime/reflector.ts";

export type Labels = Readonly<Record<string, string>>;

/** Undefined: there is no such namespace, or none was read yet. Kubernetes itself keeps kubernetes.io/metadata.name true. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

export function makeNamespaceLabels(reflector: Pick<Reflector<KubeObject>, "get">): NamespaceLabels {
  return (namespace) => {
    const object = reflector.get(namespace);
    return object && (object.metadata.labels ?? {});
  };
}

/** The transform of the cache: names, versions and labels. */
export function slimNamespace({ metadata }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, labels } = metadata;
  return {
    metadata: { name, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }), ...(labels && { labels }) },
  };
}
