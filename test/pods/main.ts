// `npm run pods`: keeps a cluster with real pods until Ctrl-C, with our images, Postgres, an object store and the provider simulator in it, and
// prints the lines that point a shell's tools and `npm run e2e` to it.
import { once } from "node:events";
import { dirname } from "node:path";
import { PODS_VARIABLE, describeBackend, startBackend, whyNoBackend } from "./backend.ts";
import { bringStores } from "./stores.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const why = whyNoBackend();
if (why === undefined) await keep();
else {
  say(`cannot run pods: ${why}`);
  process.exitCode = 1;
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
      `export PATH='${dirname(backend.kubectlPath)}':"$PATH"`,
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
