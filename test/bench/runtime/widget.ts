// What the contestants of the runtime bench work on: a small object with a status that can only be had by reading its spec.
import type { KubeObject, ResourceKind } from "../../../operator/runtime/objects.ts";

export const WIDGETS: ResourceKind = { group: "bench.genop.dev", version: "v1", plural: "widgets", namespaced: true };

export type Widget = KubeObject & {
  readonly spec: { readonly text: string };
  readonly status?: { readonly observed?: string };
};

/** The work: what the status of this object must say. */
export function observedOf({ spec: { text } }: Pick<Widget, "spec">): string {
  return `${text.length}:${text.slice(0, 12)}`;
}

const TEXT_LENGTH = 300;

/** The object of this number, its text as the change of this number left it. */
export function widgetOf(namespace: string, index: number, change = 0): Widget {
  const name = nameOf(index);
  const start = `${String(change).padStart(4, "0")} ${String(index).padStart(6, "0")} `;
  return {
    apiVersion: "bench.genop.dev/v1",
    kind: "Widget",
    metadata: { name, namespace },
    spec: { text: start.padEnd(TEXT_LENGTH, "a quiet harbour at sunrise, ") },
  };
}

export function nameOf(index: number): string {
  return `widget-${index}`;
}

/** The definition of the kind, as small as it may be. */
export const WIDGET_DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.bench.genop.dev" },
  spec: {
    group: WIDGETS.group,
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: WIDGETS.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { text: { type: "string" } } },
              status: { type: "object", properties: { observed: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};
