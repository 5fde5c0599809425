// The cluster that the tests with real pods run on, whatever it is made of, and how processes tell each other of it.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ImageValues } from "../cluster/names.ts";

/** What values and manifests name the images by. */
export interface Images {
  readonly product: ImageValues;
  readonly previous: ImageValues;
  readonly provider: string;
  readonly postgres: string;
  readonly objectStore: string;
}

export interface Backend {
  readonly name: "bare" | "kind";
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  readonly images: Images;
}

export interface OwnBackend extends Backend {
  readonly stop: () => Promise<void>;
}

/** Names the file in which the backend of this run is described. */
export const PODS_VARIABLE = "GENOP_TEST_PODS";

/** Writes down what other processes need; resolves to the path, and how to remove it. */
export function describeBackend({ images, kubeconfigPath, kubectlPath, name }: Backend): {
  readonly path: string;
  readonly remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), "genop-pods-"));
  const path = join(folder, "backend.json");
  writeFileSync(path, JSON.stringify({ name, kubeconfigPath, kubectlPath, images } satisfies Backend), { mode: 0o600 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The backend that the global setup started. */
export function currentBackend(): Backend {
  const path = process.env[PODS_VARIABLE];
  if (path === undefined || !existsSync(path)) throw new Error(`cannot find a cluster: ${PODS_VARIABLE} names no file`);
  return JSON.parse(readFileSync(path, "utf8")) as Backend;
}
