// Jest's global teardown: ends what the global setups started. Should jest be killed, the guardian of each does it.
import { takeForTeardown } from "./jest-owner.ts";

/** Called by jest after the last test, once for each project that names this file. */
async function tearDown(): Promise<void> {
  for (const end of takeForTeardown()) await end();
}

export { tearDown as default };
