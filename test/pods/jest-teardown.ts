// Jest's global teardown of the level `pods`. Should jest be killed, the cluster's guardian does it.
import { takeForTeardown } from "./jest-owner.ts";

/** Called once by jest, after the last test. */
async function tearDown(): Promise<void> {
  await takeForTeardown()?.();
}

export { tearDown as default };
