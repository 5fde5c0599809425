// What commands that are about one task have in common.
import { SeenTask, TASKS, kubectlName } from "../cluster/kinds.ts";
import { getObject, patchObject } from "../cluster/objects.ts";
import { document, isForPrograms } from "../output/format.ts";
import { because, type Session } from "../session.ts";

/** Throws Failure when there is none, or it may not be read. */
export async function readTask(
  { cluster, namespace, signal }: Session,
  name: string,
  doing: string,
): Promise<SeenTask> {
  return SeenTask.parse(await getObject(cluster, TASKS, { namespace, name }, signal).catch(because(doing)));
}

/** Merges into the spec; into just this version when one is named. */
export function changeSpec(
  { cluster, namespace, signal }: Session,
  {
    doing,
    name,
    resourceVersion,
    spec,
  }: { readonly name: string; readonly spec: object; readonly resourceVersion?: string; readonly doing: string },
): Promise<unknown> {
  const patch = { spec, ...(resourceVersion !== undefined && { metadata: { resourceVersion } }) };
  return patchObject(cluster, TASKS, { namespace, name, patch }, signal).catch(because(doing));
}

/** As kubectl ends a change: `generationtask.genop.dev/sunrise cancelled`, or the object, or its name. */
export function tellChange({ format, terminal }: Session, object: unknown, done: string): void {
  const { metadata } = object as { readonly metadata: { readonly name: string } };
  const name = kubectlName(TASKS, metadata.name);
  if (isForPrograms(format)) terminal.write(document(object, format));
  else terminal.write(format === "name" ? name : `${name} ${done}`);
}
