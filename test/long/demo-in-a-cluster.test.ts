// The demo in a cluster that was there before it.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ANNOUNCED, DEMO_LIMIT_MS, ended, makeDemoFolder, startDemo } from "../demo/process.ts";
import { only, startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";

/** Where a demo puts all that it puts anywhere. */
let folder: string;
beforeAll(() => {
  folder = makeDemoFolder();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let cluster: Environment;
beforeAll(async () => {
  cluster = await startEnvironment(only("controlPlane"));
}, DEMO_LIMIT_MS);
afterAll(() => cluster.stop());

const objects = async (): Promise<readonly string[]> => {
  const kinds = "namespaces,crd,clusterroles,clusterrolebindings";
  return (await kubectl(cluster, ["get", kinds, "-o", "name"])).trim().split("\n");
};

test(
  "it plays the same, and leaves the cluster as it was",
  async () => {
    const before = await objects();
    const { code, stderr, stdout } = await ended(
      startDemo(folder, ["--once", "--json", "--kubeconfig", cluster.kubeconfigPath]),
    );
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual(ANNOUNCED);
    expect(stderr.indexOf("is going to make")).toBeLessThan(stderr.indexOf("tasks were applied"));
    expect(await objects()).toEqual(before);
  },
  DEMO_LIMIT_MS,
);

test(
  "it refuses one that is in use, and touches nothing there",
  async () => {
    const crds = join(import.meta.dirname, "..", "..", "crds");
    const files = ["generationtasks.yaml", "generationproviders.yaml", "creditgrants.yaml"];
    await kubectl(cluster, ["apply", "--server-side", ...files.flatMap((file) => ["-f", join(crds, file)])]);
    await kubectl(cluster, ["wait", "--for=condition=Established", "crd/creditgrants.genop.dev"]);
    await kubectl(cluster, ["apply", "-f", join(crds, "samples", "provider-simulated.yaml")]);
    const before = await objects();
    const { code, stderr, stdout } = await ended(
      startDemo(folder, ["--once", "--json", "--kubeconfig", cluster.kubeconfigPath]),
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trim()).toMatch(/^cannot play in this cluster: it has 1 objects of genop\.dev[^\n]*$/);
    expect(await objects()).toEqual(before);
  },
  DEMO_LIMIT_MS,
);
