// `helm install --set trial=true` alone gives something to play with.
import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { wrongAssets, type Truth } from "../operator/verdict.ts";
import { watchTasks } from "../operator/watcher.ts";
import { CHART } from "../chart/helm.ts";
import { currentBackend, type Backend } from "./backend.ts";
import { TEST_MS, onRealPods } from "./level.ts";
import { NAMESPACE, RELEASE, leave, restrictedNamespace, set } from "./release.ts";
import { applyObjects } from "../operator/installation.ts";
import { forwardTo, helm, kubectl, shell, type Forward } from "./site.ts";

/** What a person is promised. */
const FIRST_ASSET_MS = 120_000;
const NAME = "genop-generation-operator-trial";
const TASK = "studio/sunrise";
const BUCKET = { region: "us-east-1", bucket: "genop" };

/** The commands that Helm's notes say come next, as they stand there. */
async function nextCommands(backend: Backend): Promise<readonly string[]> {
  const notes = await helm(backend, ["get", "notes", RELEASE, "--namespace", NAMESPACE]);
  return [...notes.matchAll(/^ {2}(kubectl .*)$/gm)].slice(0, 3).map(([, command]) => command ?? "");
}

/** The store as a client reaches it, with the keys that the trial made. */
async function storeBehind(backend: Backend, { port }: Forward): Promise<Parameters<typeof wrongAssets>[0]> {
  const query = ["--namespace", NAMESPACE, "get", "secret", NAME, "--output", "json"];
  const { data } = JSON.parse(await kubectl(backend, query)) as { readonly data: Readonly<Record<string, string>> };
  const [accessKeyId = "", secretAccessKey = ""] = ["accessKeyID", "secretAccessKey"].map((name) =>
    Buffer.from(data[name] ?? "", "base64").toString(),
  );
  return { s3: { endpoint: `http://127.0.0.1:${port}`, ...BUCKET, accessKeyId, secretAccessKey } };
}

/** What the trial's provider itself serves for a job. */
const pictureOf = ({ port }: Forward): Truth => ({
  expected: async (job) => {
    const picture = await fetch(`http://127.0.0.1:${port}/v1/outputs/${job}.png`);
    expect(picture.status).toBe(200);
    return {
      sha256: createHash("sha256")
        .update(await picture.bytes())
        .digest("hex"),
    };
  },
});

onRealPods("a trial", () => {
  test(
    "from nothing to the first asset in two minutes, by the commands that Helm's notes name",
    async () => {
      const backend = currentBackend();
      const { objectStore, postgres, product } = backend.images;
      await applyObjects(backend, [restrictedNamespace(NAMESPACE)]);
      const began = performance.now();
      const values = { trial: true, image: product, trialImages: { postgres, objectStore } };
      await helm(backend, ["install", RELEASE, CHART, "--namespace", NAMESPACE, ...set(values)]);
      for (const command of await nextCommands(backend)) await shell(backend, command);
      const tookMs = performance.now() - began;
      console.log(`trial: first asset after ${(tookMs / 1000).toFixed(1)} s`);

      const watcher = await watchTasks(backend);
      const task = watcher.get(TASK);
      const provider = await forwardTo(backend, NAMESPACE, `deployment/${NAME}-provider`, 8080);
      const store = await forwardTo(backend, NAMESPACE, `deployment/${NAME}-store`, 7070);
      expect(task?.status?.assets).toHaveLength(1);
      expect(await wrongAssets(await storeBehind(backend, store), pictureOf(provider), task ? [task] : [])).toEqual([]);
      expect(tookMs).toBeLessThan(FIRST_ASSET_MS);
      provider.close();
      store.close();
      await watcher.stop();
      await leave(backend, ["studio"]);
    },
    TEST_MS,
  );
});
