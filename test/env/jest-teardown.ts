// Jest's global teardown: ends the environment that the global setup started. Should jest be killed, the guardian does it.
import { SHARED_VARIABLE } from "./shared.ts";
import { takeForTeardown } from "./jest-owner.ts";

/** Called once by jest, after the last test. */
async function tearDown(): Promise<void> {
  const environment = takeForTeardown();
  if (environment === undefined) return;
  Reflect.deleteProperty(process.env, SHARED_VARIABLE);
  await environment.stop();
}

export { tearDown as default };
