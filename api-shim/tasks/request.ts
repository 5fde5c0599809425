// What a caller may ask for: the spec of a GenerationTask without what the shim or a later call sets. The schema is the
// contract's own, so that the shim and the API server refuse the same things.
import type { z } from "zod";
import type { WireTask } from "../../operator/kube/task-object.ts";
import { apiVersionOf } from "../../operator/runtime/objects.ts";
import { TASKS } from "../../operator/kube/kinds.ts";
import { TaskSpec } from "../../operator/task/resource.ts";
import { FINGERPRINT_ANNOTATION, fingerprintOf, taskNameOf } from "./identity.ts";

export const TaskRequest = TaskSpec.omit({ idempotencyKey: true, cancelRequested: true, resolution: true });
export type TaskRequest = z.input<typeof TaskRequest>;

export interface Wish {
  readonly namespace: string;
  readonly key: string;
  /** As it was given, and judged: defaults are the API server's to fill in. */
  readonly body: unknown;
}

/** The object that stands for the wish. The same wish always makes the same object. */
export function taskOf({ body, key, namespace }: Wish): WireTask {
  return {
    apiVersion: apiVersionOf(TASKS),
    kind: "GenerationTask",
    metadata: {
      name: taskNameOf(namespace, key),
      namespace,
      annotations: { [FINGERPRINT_ANNOTATION]: fingerprintOf(body) },
    },
    spec: { ...(body as object), idempotencyKey: key },
  };
}
