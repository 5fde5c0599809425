// Where the tests with real pods run: on a node made on this machine, or on a kind cluster. Only how the cluster and its images come
// about differs; the tests know neither.
import { whyNoPods } from "../cluster/capable.ts";
import { startCluster } from "../cluster/cluster.ts";
import { IMAGES } from "../cluster/names.ts";
import { ensureImages } from "../cluster/our-images.ts";
import { PODS_VARIABLE, type OwnBackend } from "./backend.ts";
import { startKind, whyNoKind } from "./kind.ts";

type Say = (line: string) => void;
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
