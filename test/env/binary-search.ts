// Where the programs of the environment may already be. Pure: the file system is asked through `isProgram`.
import { delimiter, join } from "node:path";

export const CONTROL_PLANE = ["etcd", "kube-apiserver", "kubectl"] as const;
export const CONTROLLER_MANAGER = "kube-controller-manager";
export const OBJECT_STORE = "versitygw";
export type BinaryName = (typeof CONTROL_PLANE)[number] | typeof CONTROLLER_MANAGER | typeof OBJECT_STORE;

/** Paths of the programs found so far. */
export type Binaries = Readonly<Partial<Record<BinaryName, string>>>;

export interface Places {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Folders of earlier builds and downloads, best first. */
  readonly cacheFolders: readonly string[];
  isProgram(path: string): boolean;
}

/** The variable that names one program by its full path. */
export function variableOf(name: BinaryName): string {
  return `GENOP_${name.toUpperCase().replaceAll("-", "_")}`;
}

function byVariable(name: BinaryName, places: Places): string | undefined {
  const variable = variableOf(name);
  const path = places.variables[variable];
  if (path === undefined || path === "") return undefined;
  if (!places.isProgram(path)) throw new Error(`cannot use ${variable}: ${path} is not a program that can be run`);
  return path;
}

function inFolder(folder: string, name: BinaryName, places: Places): string | undefined {
  const path = join(folder, name);
  return places.isProgram(path) ? path : undefined;
}

function inFolders(folders: readonly string[], name: BinaryName, places: Places): string | undefined {
  return folders.map((folder) => inFolder(folder, name, places)).find((path) => path !== undefined);
}

function together(
  required: readonly BinaryName[],
  find: (name: BinaryName) => string | undefined,
): Binaries | undefined {
  const found = required.map((name) => [name, find(name)] as const);
  return found.every(([, path]) => path !== undefined) ? Object.fromEntries(found) : undefined;
}

function assets(places: Places): string | undefined {
  const folder = places.variables.KUBEBUILDER_ASSETS;
  if (folder === undefined || folder === "") return undefined;
  const missing = CONTROL_PLANE.filter((name) => inFolder(folder, name, places) === undefined);
  if (missing.length > 0) {
    throw new Error(
      `cannot use KUBEBUILDER_ASSETS: ${folder} has no ${missing.join(", ")}; unset it, or point it to a complete folder`,
    );
  }
  return folder;
}

function pathFolders(places: Places): readonly string[] {
  return (places.variables.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
}

/**
 * Programs of the control plane: a variable of their own, else KUBEBUILDER_ASSETS, else PATH, else the cache. Etcd, API server and kubectl
 * come from one place, since their versions must fit; the controller manager may be missing there.
 * Empty when no place has them. Throws when a variable names what is not there.
 */
export function findControlPlane(places: Places): Binaries {
  const named = Object.fromEntries(
    ([...CONTROL_PLANE, CONTROLLER_MANAGER] as const).flatMap((name) => {
      const path = byVariable(name, places);
      return path === undefined ? [] : [[name, path] as const];
    }),
  ) as Binaries;
  const folder = assets(places);
  const groups =
    folder === undefined ? [pathFolders(places), ...places.cacheFolders.map((cache) => [cache])] : [[folder]];
  for (const group of groups) {
    const find = (name: BinaryName): string | undefined => named[name] ?? inFolders(group, name, places);
    const found = together(CONTROL_PLANE, find);
    const manager = find(CONTROLLER_MANAGER);
    if (found) return { ...found, ...(manager !== undefined && { [CONTROLLER_MANAGER]: manager }) };
  }
  return {};
}

/** The S3 server: its variable, else PATH, else the cache. Empty when no place has it. */
export function findObjectStore(places: Places): Binaries {
  const path =
    byVariable(OBJECT_STORE, places) ??
    inFolders([...pathFolders(places), ...places.cacheFolders], OBJECT_STORE, places);
  return path === undefined ? {} : { [OBJECT_STORE]: path };
}
