// Finalizers belong to many: one's own is added or removed by a patch that holds only if nobody changed the list
// meanwhile. A merge patch would replace the others'.
import type { KubeObject } from "./objects.ts";
import type { JsonPatchOperation } from "./resources.ts";

/** Undefined when it is there already. The patch fails with Invalid when the list or the object is another by now. */
export function addFinalizerPatch(object: KubeObject, finalizer: string): readonly JsonPatchOperation[] | undefined {
  const list = finalizersOf(object);
  if (list.includes(finalizer)) return undefined;
  return [...sameObject(object), sameList(list), { op: "add", path: LIST, value: [...list, finalizer] }];
}

/** Undefined when it is not there. Every entry of that name goes, should a race have made two. */
export function removeFinalizerPatch(object: KubeObject, finalizer: string): readonly JsonPatchOperation[] | undefined {
  const list = finalizersOf(object);
  if (!list.includes(finalizer)) return undefined;
  const rest = list.filter((entry) => entry !== finalizer);
  return [...sameObject(object), sameList(list), { op: "replace", path: LIST, value: rest }];
}

const LIST = "/metadata/finalizers";

function finalizersOf(object: KubeObject): readonly string[] {
  return object.metadata.finalizers ?? [];
}

function sameObject({ metadata: { uid } }: KubeObject): readonly JsonPatchOperation[] {
  return uid === undefined ? [] : [{ op: "test", path: "/metadata/uid", value: uid }];
}

// A list that is absent tests as null.
function sameList(list: readonly string[]): JsonPatchOperation {
  return { op: "test", path: LIST, value: list.length === 0 ? null : list };
}
