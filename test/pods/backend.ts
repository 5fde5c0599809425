// Where the tests with real pods run: on a node made on this machine, or on a kind cluster. Only how the cluster and its images come
// about differs; the tests know neither.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whyNoPods } from "../cluster/capable.ts";
import { startCluster } from "../cluster/cluster.ts";
import { IMAGES, type ImageValues } from "../cluster/names.ts";
import { ensureImages } from "../cluster/our-images.ts";
import { startKind, whyNoKind } from "./kind.ts";

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
  stop(): Promise<void>;
}

type Say = (line: string) => void;
/** Names the file in which the backend of this run is described. */
export const PODS_VARIABLE = "GENOP_TEST_PODS";
/** `bare` or `kind`; what this machine can do unless told. */
const CHOICE_VARIABLE = "GENOP_PODS_BACKEND";
const START_MS = 1_800_000;

/** Why these tests can't run here, or undefined when they can. */
export function whyNoBackend(): string | undefined {
  if (process.env[PODS_VARIABLE]) return undefined;
  const choice = process.env[CHOICE_VARIABLE];
  const why = { bare: whyNoPods(), kind: whyNoKind() };
  if (choice === "bare" || choice === "kind") return why[choice];
  return why.bare === undefined || why.kind === undefined ? undefined : `${why.bare}; ${why.kind}`;
}

/** Starts the one that was chosen, else a node of our own where that is possible, else kind. */
export async function startBackend(say: Say): Promise<OwnBackend> {
  const choice = process.env[CHOICE_VARIABLE] ?? (whyNoPods() === undefined ? "bare" : "kind");
  if (choice === "kind") return startKind(say);
  const cluster = await startCluster(await ensureImages(say), say, AbortSignal.timeout(START_MS));
  const { kubeconfigPath, kubectlPath, stop } = cluster;
  return { name: "bare", kubeconfigPath, kubectlPath, images: IMAGES, stop };
}

/** Writes down what other processes need; resolves to the path, and how to remove it. */
export function describeBackend({ images, kubeconfigPath, kubectlPath, name }: Backend): {
  readonly path: string;
  remove(): void;
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
