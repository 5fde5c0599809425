// Which cluster this is: a database belongs to one installation, and is refused by another.
import type { KubeObject } from "../runtime/objects.ts";
import { makeResource } from "../runtime/resources.ts";
import type { CallOptions, Transport } from "../runtime/transport.ts";
import { NAMESPACES } from "./kinds.ts";

/** The UID of namespace kube-system, which lives as long as the cluster. Throws KubeError. */
export async function readInstallation(transport: Transport, options: CallOptions): Promise<string> {
  const namespace = await makeResource<KubeObject>(transport, NAMESPACES).get("kube-system", options);
  const uid = namespace?.metadata.uid;
  if (uid === undefined) throw new Error("cannot tell which cluster this is: namespace kube-system is not there");
  return uid;
}
