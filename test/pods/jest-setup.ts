// Jest's global setup of the level `pods`: one cluster per run, with the stores and the provider simulator in it. Without
// the means for it nothing is started, and every test of the level is skipped with the reason.
import { PODS_VARIABLE, describeBackend } from "./backend.ts";
import { startBackend, whyNoBackend } from "./choice.ts";
import { keepForTeardown } from "../env/jest-owner.ts";
import { bringStores } from "./stores.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Called once by jest, before the first test of any project that names this file. */
async function setUp(): Promise<void> {
  if (whyNoBackend() !== undefined) return;
  if (process.env[PODS_VARIABLE]) return;
  const backend = await startBackend(say);
  const { path, remove } = describeBackend(backend);
  keepForTeardown(async () => {
    remove();
    await backend.stop();
  });
  process.env[PODS_VARIABLE] = path; // test processes are forked after this
  await bringStores(backend);
}

export { setUp as default };
