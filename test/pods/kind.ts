// kind as the cluster: where docker is, with a registry to pull from. Postgres and the object store are then the chart's own defaults.
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { IMAGES, referenceOf } from "../cluster/names.ts";
import { ensurePrevious } from "../cluster/previous.ts";
import { inSimulatorContext } from "../cluster/simulator.ts";
import { bundle } from "../../image/bundle.ts";
import { CHART } from "../chart/helm.ts";
import type { OwnBackend } from "./backend.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const LIMIT_MS = 900_000;
const PROGRAMS = ["docker", "kind", "kubectl"] as const;

/** Why there is no kind here, or undefined when there is. */
export function whyNoKind(): string | undefined {
  const missing = PROGRAMS.filter((program) => spawnSync("which", [program]).status !== 0);
  if (missing.length > 0) return `kind needs ${missing.join(", ")} in PATH`;
  return spawnSync("docker", ["info"]).status === 0 ? undefined : "kind needs a docker that answers";
}

async function command(...[file = "", ...args]: readonly string[]): Promise<void> {
  await run(file, args, { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
}

interface TrialImages {
  readonly trialImages: { readonly postgres: string; readonly objectStore: string };
}

/** Builds our images with docker and brings them to a new cluster. */
export async function startKind(say: (line: string) => void): Promise<OwnBackend> {
  const name = `genop-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "genop-kind-"));
  const kubeconfigPath = join(folder, "kubeconfig");
  const [product, previous] = [referenceOf(IMAGES.product), referenceOf(IMAGES.previous)];
  const stop = async (): Promise<void> => {
    await command("kind", "delete", "cluster", "--name", name);
    rmSync(folder, { recursive: true, force: true });
  };
  say("building the images with docker, and a kind cluster");
  try {
    const ours = [product, IMAGES.provider, previous];
    await bundle();
    await command("docker", "build", "--tag", product, ROOT);
    await command("docker", "build", "--tag", previous, await ensurePrevious(say));
    await inSimulatorContext(({ context, file }) =>
      command("docker", "build", "--tag", IMAGES.provider, "--file", file, context),
    );
    await command("kind", "create", "cluster", "--name", name, "--kubeconfig", kubeconfigPath, "--wait", "180s");
    await command("kind", "load", "docker-image", "--name", name, ...ours);
  } catch (error) {
    await stop().catch(() => undefined); // the first error says more
    throw error;
  }
  const { trialImages } = parse(readFileSync(join(CHART, "values.yaml"), "utf8")) as TrialImages;
  const images = { ...IMAGES, ...trialImages };
  return { name: "kind", kubeconfigPath, kubectlPath: "kubectl", images, stop };
}
