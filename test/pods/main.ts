// `npm run pods`: keeps a cluster with real pods until Ctrl-C, with our images, Postgres, an object store and the provider simulator in it, and
// prints the lines that point a shell's tools and `npm run e2e` to it, and how to install a trial there.
import { once } from "node:events";
import { dirname } from "node:path";
import { PODS_VARIABLE, describeBackend, type Backend } from "./backend.ts";
import { startBackend, whyNoBackend } from "./choice.ts";
import { ensureHelm } from "../chart/helm.ts";
import { bringStores } from "./stores.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const why = whyNoBackend();
if (why === undefined) await keep();
else {
  say(`cannot run pods: ${why}`);
  process.exitCode = 1;
}

/** What a person types to have a trial of the images that are there. */
function trialOf({ images }: Backend): string {
  const { objectStore, postgres, product } = images;
  const values = [
    "trial=true",
    `image.repository=${product.repository},image.tag=${product.tag}`,
    `trialImages.postgres=${postgres},trialImages.objectStore=${objectStore}`,
  ];
  const place = "--namespace genop-system --create-namespace";
  return `helm install genop charts/generation-operator ${place} --set ${values.join(",")}`;
}

async function keep(): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  const backend = await startBackend(say);
  const { path, remove } = describeBackend(backend);
  try {
    await bringStores(backend);
    const lines = [
      `export KUBECONFIG='${backend.kubeconfigPath}'`,
      `export ${PODS_VARIABLE}='${path}'`,
      `export PATH='${dirname(backend.kubectlPath)}':'${dirname(await ensureHelm(say))}':"$PATH"`,
      `# ${trialOf(backend)}`,
    ];
    console.log(lines.join("\n"));
    const staying = setInterval(() => undefined, LONGEST_TIMER_MS); // a signal's handler alone keeps no process
    if (!interrupted.signal.aborted) await once(interrupted.signal, "abort");
    clearInterval(staying);
  } finally {
    remove();
    await backend.stop();
  }
}
