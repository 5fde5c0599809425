// `helm install --set trial=true` alone gives something to play with.
import { expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { wrongAssets } from "../operator/verdict.ts";
import { watchTasks } from "../operator/watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";
import { currentBackend, type Backend } from "./backend.ts";
import { TEST_MS, onRealPods } from "./level.ts";
import { NAMESPACE, leave, restrictedNamespace, upgrade } from "./release.ts";
import { apply, forwardTo, kubectl } from "./site.ts";
import { STORES } from "./stores.ts";
import { bringProvider } from "./tenant.ts";

/** What a person is promised. */
const FIRST_ASSET_MS = 120_000;
const SAMPLES = join(import.meta.dirname, "..", "..", "crds", "samples");
const TASK = "studio/sunrise";
const sample = (name: string): Promise<string> => readFile(join(SAMPLES, name), "utf8");

async function trialStore(
  backend: Backend,
): Promise<{ readonly port: number; readonly key: (name: string) => string; close(): void }> {
  const forward = await forwardTo(backend, NAMESPACE, "deployment/genop-generation-operator-trial-store", 7070);
  const secret = ["--namespace", NAMESPACE, "get", "secret", "genop-generation-operator-trial", "--output", "json"];
  const { data } = JSON.parse(await kubectl(backend, secret)) as { readonly data: Readonly<Record<string, string>> };
  const key = (name: string): string => Buffer.from(data[name] ?? "", "base64").toString();
  return { port: forward.port, key, close: () => forward.close() };
}

onRealPods("a trial", () => {
  test(
    "from nothing to the first asset, with the samples of the repository, in two minutes",
    async () => {
      const backend = currentBackend();
      await apply(backend, [restrictedNamespace(NAMESPACE)]);
      const began = performance.now();
      const { objectStore, postgres } = backend.images;
      await upgrade(backend, { trial: true, trialImages: { postgres, objectStore } });
      const installed = performance.now();
      await bringProvider(backend);
      await kubectl(backend, ["create", "namespace", "studio"]);
      for (const name of ["grant.yaml", "task-minimal.yaml"])
        await kubectl(backend, ["apply", "-f", "-"], await sample(name));
      const watcher = await watchTasks(backend);
      await watcher.until(
        "the first asset",
        () => (watcher.get(TASK)?.status?.assets?.length ?? 0) > 0,
        AbortSignal.timeout(TEST_MS),
      );
      const tookMs = performance.now() - began;
      console.log(`trial: installed after ${seconds(installed - began)} s, first asset after ${seconds(tookMs)} s`);

      const task = watcher.get(TASK);
      const admin = await forwardTo(backend, STORES, "deployment/provider", 8081);
      const store = await trialStore(backend);
      const s3 = {
        endpoint: `http://127.0.0.1:${store.port}`,
        ...{ region: "us-east-1", bucket: "genop" },
        ...{ accessKeyId: store.key("accessKeyID"), secretAccessKey: store.key("secretAccessKey") },
      };
      expect(task?.status?.assets).toHaveLength(1);
      expect(
        await wrongAssets({ s3 }, makeProviderAdmin(`http://127.0.0.1:${admin.port}`), task ? [task] : []),
      ).toEqual([]);
      expect(tookMs).toBeLessThan(FIRST_ASSET_MS);
      admin.close();
      store.close();
      await watcher.stop();
      await leave(backend, ["studio"]);
    },
    TEST_MS,
  );
});

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
