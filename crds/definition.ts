// One CustomResourceDefinition, put together from a kind's schema, rules and columns.
import type { z } from "zod";
import { MAX_NAME_LENGTH } from "../operator/task/fields.ts";
import { GROUP, VERSION } from "../operator/task/resource.ts";
import { CEL_RULES } from "../operator/task/rule.ts";
import { structural, type CelRule, type Schema } from "./structural.ts";

interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "date";
  readonly jsonPath: string;
  readonly description: string;
  /** 1: only with -o wide. */
  readonly priority?: 1;
}

export interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly columns: readonly Column[];
  /** JSON paths that `kubectl get --field-selector` understands. */
  readonly selectable: readonly string[];
  /** Rules on spec that compare it with the one before. */
  readonly specTransitions: readonly CelRule[];
  /** The same on the whole object, for rules that also look at status. */
  readonly transitions: readonly CelRule[];
}

const AGE: Column = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since the object was created.",
};

const NAME_RULE: CelRule = {
  rule: `size(self.metadata.name) <= ${MAX_NAME_LENGTH}`,
  message: `cannot use this name: metadata.name becomes a label value; choose one of at most ${MAX_NAME_LENGTH} characters`,
};

/** The CustomResourceDefinition of a kind, ready to be applied. */
export function definitionOf(kind: Kind): object {
  const singular = kind.kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: kind.scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular,
        shortNames: [kind.shortName],
        categories: ["genop"],
      },
      versions: [versionOf(kind)],
    },
  };
}

function versionOf(kind: Kind): object {
  return {
    name: VERSION,
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: [...kind.columns, AGE],
    ...(kind.selectable.length > 0 && { selectableFields: kind.selectable.map((jsonPath) => ({ jsonPath })) }),
    schema: { openAPIV3Schema: objectSchema(kind) },
  };
}

/** The whole object, with what every Kubernetes object has. */
export function objectSchema(kind: Kind): Schema {
  return {
    description: kind.description,
    type: "object",
    properties: {
      apiVersion: { description: "The version of the schema that this object is written in.", type: "string" },
      kind: { description: "The kind of this object.", type: "string" },
      metadata: { type: "object" },
      spec: {
        description: "What is wanted. Written by people and their tools.",
        ...withRules(structural(kind.spec), kind.specTransitions),
      },
      status: { description: "What is known. Written by the operator only.", ...structural(kind.status) },
    },
    required: ["spec"],
    [CEL_RULES]: [NAME_RULE, ...kind.transitions],
  };
}

function withRules(schema: Schema, rules: readonly CelRule[]): Schema {
  const all = [...(schema[CEL_RULES] ?? []), ...rules];
  return all.length === 0 ? schema : { ...schema, [CEL_RULES]: all };
}
