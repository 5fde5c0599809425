// The collections of the API that the product talks to. rbac.ts lists what may be done with each.
import type { ResourceKind } from "../runtime/objects.ts";
import { GROUP, VERSION } from "../task/resource.ts";

export const TASKS: ResourceKind = { group: GROUP, version: VERSION, plural: "generationtasks", namespaced: true };
export const PROVIDERS: ResourceKind = {
  group: GROUP,
  version: VERSION,
  plural: "generationproviders",
  namespaced: false,
};
export const GRANTS: ResourceKind = { group: GROUP, version: VERSION, plural: "creditgrants", namespaced: true };
export const NAMESPACES: ResourceKind = { group: "", version: "v1", plural: "namespaces", namespaced: false };
export const SECRETS: ResourceKind = { group: "", version: "v1", plural: "secrets", namespaced: true };
export const CONFIG_MAPS: ResourceKind = { group: "", version: "v1", plural: "configmaps", namespaced: true };
