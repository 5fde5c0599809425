// The CustomResourceDefinitions, applied before the operator that needs them. Never removed: with a definition go all its objects.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { sleep, type Clock } from "../runtime/clock.ts";
import type { KubeObject, ResourceKind } from "../runtime/objects.ts";
import type { Resource } from "../runtime/resources.ts";

export const DEFINITIONS: ResourceKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
};

export interface Definition extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const FOLDER = join(import.meta.dirname, "..", "..", "crds");
/** Ours alone: what another manager added to a definition, such as a conversion's CA bundle, stays. */
const FIELD_MANAGER = "generation-operator-migrate";
const CALL_MS = 30_000;
const LOOK_AGAIN_MS = 200;

/** The definitions that this version brings. */
export async function readDefinitions(): Promise<readonly Definition[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml")).sort();
  return Promise.all(files.map(async (name) => parse(await readFile(join(FOLDER, name), "utf8")) as Definition));
}

/**
 * Applies each, and waits until the API server serves it. Safe to repeat, and beside another run.
 * Throws KubeError, or the signal's reason when a definition is not served in time.
 */
export async function applyDefinitions(
  resource: Pick<Resource<Definition>, "apply" | "get">,
  definitions: readonly Definition[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const call = { signal, timeoutMs: CALL_MS };
  for (const definition of definitions) {
    await resource.apply(definition, { ...call, fieldManager: FIELD_MANAGER, force: true });
    while (!isServed(await resource.get(definition.metadata.name, call))) await sleep(clock, LOOK_AGAIN_MS, signal);
  }
}

function isServed(definition: Definition | undefined): boolean {
  return (
    definition?.status?.conditions?.some(({ status, type }) => type === "Established" && status === "True") ?? false
  );
}
