// Finds the programs of the environment, or makes them: by a variable, in PATH, in the cache, built with Go, downloaded.
import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import {
  CONTROLLER_MANAGER,
  OBJECT_STORE,
  findControlPlane,
  findObjectStore,
  variableOf,
  type Binaries,
  type BinaryName,
  type Places,
} from "./binary-search.ts";
import {
  KUBERNETES_VERSION,
  OBJECT_STORE_VERSION,
  buildControlPlane,
  buildObjectStore,
  whyNoGo,
  type Say,
} from "./build.ts";
import { cacheKey, cacheRoot, makeOnce } from "./cache.ts";
import { ENVTEST_VERSION, downloadControlPlane, whyNoArchive } from "./envtest.ts";

export interface Wanted {
  readonly controlPlane: boolean;
  readonly objectStore: boolean;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const here = import.meta.dirname;
const pins = (module: string, ...others: readonly string[]) =>
  ["go.mod", "go.sum", ...others].map((file) => join(here, module, file));

function foldersOf(variables: Places["variables"]): {
  readonly built: string;
  readonly archive: string;
  readonly objectStore: string;
} {
  const root = cacheRoot(variables);
  return {
    built: join(root, cacheKey(`control-plane-${KUBERNETES_VERSION}`, pins("control-plane", "main.go"))),
    archive: join(root, cacheKey(`envtest-${ENVTEST_VERSION}`, [])),
    objectStore: join(root, cacheKey(`versitygw-${OBJECT_STORE_VERSION}`, pins("object-store"))),
  };
}

function missing(what: string, why: readonly string[], names: readonly BinaryName[]): Error {
  const variables = names.map(variableOf).join(", ");
  return new Error(
    `cannot find ${what}: ${why.join("; ")}; install Go 1.26 or newer, or name the programs in ${variables}`,
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

async function makeControlPlane(folders: ReturnType<typeof foldersOf>, say: Say): Promise<void> {
  const noGo = whyNoGo();
  if (noGo === undefined) return makeOnce(folders.built, (into) => buildControlPlane(into, say), say);
  const noArchive = whyNoArchive();
  const names = ["etcd", "kube-apiserver", "kubectl", CONTROLLER_MANAGER] as const;
  if (noArchive !== undefined) throw missing("a control plane", [noGo, noArchive], names);
  try {
    await makeOnce(folders.archive, (into) => downloadControlPlane(into, say), say);
  } catch (error) {
    throw missing("a control plane", [noGo, reasonOf(error)], names);
  }
}

/** Every wanted program, made when need be. Throws one sentence that says what is missing and what to install. */
export async function ensureBinaries(variables: Places["variables"], wanted: Wanted, say: Say): Promise<Binaries> {
  const folders = foldersOf(variables);
  const controlPlane: Places = { variables, isProgram, cacheFolders: [folders.built, folders.archive] };
  const objectStore: Places = { variables, isProgram, cacheFolders: [folders.objectStore] };
  if (wanted.controlPlane && findControlPlane(controlPlane)["kube-apiserver"] === undefined) {
    await makeControlPlane(folders, say);
  }
  if (wanted.objectStore && findObjectStore(objectStore)[OBJECT_STORE] === undefined) {
    const noGo = whyNoGo();
    if (noGo !== undefined) throw missing("an S3 server", [noGo], [OBJECT_STORE]);
    await makeOnce(folders.objectStore, (into) => buildObjectStore(into, say), say);
  }
  return {
    ...(wanted.controlPlane && findControlPlane(controlPlane)),
    ...(wanted.objectStore && findObjectStore(objectStore)),
  };
}
