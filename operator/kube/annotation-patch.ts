// Sets one annotation, and only on the very version of the object that was looked at.
import type { ObjectMeta } from "../runtime/objects.ts";
import type { JsonPatchOperation } from "../runtime/resources.ts";

/** Operations that fail with Invalid when the object is another version by now. Other annotations are left alone. */
export function annotationPatch(
  { annotations, resourceVersion }: ObjectMeta,
  name: string,
  value: string,
): readonly JsonPatchOperation[] {
  const path = `/metadata/annotations/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return [
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    ...(annotations ? [] : [{ op: "add", path: "/metadata/annotations", value: {} } as const]),
    { op: "add", path, value },
  ];
}
