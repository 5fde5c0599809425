// Names alone, for completion: one page of metadata, so that a large namespace answers fast.
import { z } from "zod";
import { pathOf, type ResourceKind } from "../../operator/runtime/objects.ts";
import type { Session } from "../session.ts";

const METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const MOST = 500;

const Names = z.looseObject({
  items: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) })).default([]),
});

/** Throws ApiError. */
export async function getObjectNames(
  { cluster, signal }: Session,
  kind: ResourceKind,
  namespace: string | undefined,
): Promise<readonly string[]> {
  const request = { path: pathOf(kind, { namespace }), query: { limit: MOST }, headers: { accept: METADATA } };
  const { items } = Names.parse(await cluster.call(request, signal));
  return items.map(({ metadata }) => metadata.name);
}
