// The collections that commands read, and the few fields of their objects that they look at. What cannot be read is absent.
import { z } from "zod";
import { GRANTS, PROVIDERS, TASKS } from "../../operator/kube/kinds.ts";
import { Conditions, TaskStatus } from "../../operator/task/resource.ts";

export { GRANTS, PROVIDERS, TASKS };

/** The name that kubectl gives an object: `generationtask.genop.dev/sunrise`. */
export function kubectlName(kind: { readonly plural: string; readonly group: string }, name: string): string {
  return `${kind.plural.replace(/s$/, "")}.${kind.group}/${name}`;
}

const Meta = z.looseObject({
  name: z.string(),
  namespace: z.string().default(""),
  uid: z.string().default(""),
  resourceVersion: z.string().default(""),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
});

/** Of the spec, what is shown. The input is not in it: it holds prompts. */
const Spec = z
  .object({
    providerRef: z.object({ name: z.string() }).optional().catch(undefined),
    model: z.string().optional().catch(undefined),
    maxCredits: z.string().optional().catch(undefined),
    unknownPolicy: z.string().optional().catch(undefined),
    activeDeadlineSeconds: z.number().optional().catch(undefined),
    suspend: z.boolean().optional().catch(undefined),
    cancelRequested: z.boolean().optional().catch(undefined),
  })
  .catch({});

export const SeenTask = z.looseObject({
  metadata: Meta,
  spec: Spec.default({}),
  status: TaskStatus.partial().loose().catch({}).default({}),
});
export type SeenTask = z.infer<typeof SeenTask>;

export const SeenProvider = z.looseObject({
  metadata: Meta,
  status: z
    .looseObject({ conditions: Conditions.catch([]).default([]) })
    .catch({ conditions: [] })
    .default({ conditions: [] }),
});
export type SeenProvider = z.infer<typeof SeenProvider>;

export const SeenGrant = z.looseObject({
  metadata: Meta,
  spec: z
    .looseObject({ credits: z.string().catch("0"), reason: z.string().catch("") })
    .catch({ credits: "0", reason: "" }),
  status: z
    .looseObject({ applied: z.boolean().default(false) })
    .catch({ applied: false })
    .default({ applied: false }),
});

const Time = z.string().nullish();

export const SeenEvent = z.looseObject({
  type: z.string().default("Normal"),
  reason: z.string().default(""),
  note: z.string().default(""),
  eventTime: Time,
  deprecatedFirstTimestamp: Time,
  deprecatedLastTimestamp: Time,
  deprecatedCount: z.number().nullish(),
  series: z.looseObject({ count: z.number(), lastObservedTime: Time }).nullish(),
  regarding: z.looseObject({ uid: z.string().default("") }).default({ uid: "" }),
});
export type SeenEvent = z.infer<typeof SeenEvent>;
