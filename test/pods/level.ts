// What every file of this level says first.
import { afterAll, beforeAll, describe } from "@jest/globals";
import { currentBackend } from "./backend.ts";
import { whyNoBackend } from "./choice.ts";
import { install, leave } from "./release.ts";
import { bringProvider, openTenant, type Tenant } from "./tenant.ts";

/** A cluster, a release and a hundred tasks take their time; what is judged is never how long they took. */
export const TEST_MS = 600_000;
const why = whyNoBackend();

/** A block of tests with real pods. Without the means for them, all are skipped, and their names say why. */
export function onRealPods(what: string, tests: () => void): void {
  if (why === undefined) describe(what, tests);
  else describe.skip(`${what} (not run: ${why})`, tests);
}

/** Tests of one installation of the chart. Each has a namespace of its own; all is taken away after the last one. */
export function onInstalled(
  what: string,
  values: Readonly<Record<string, unknown>>,
  tests: (tenantOf: (namespace: string) => Promise<Tenant>) => void,
): void {
  onRealPods(what, () => {
    const tenants: Tenant[] = [];
    beforeAll(async () => {
      await install(currentBackend(), values);
      await bringProvider(currentBackend());
    }, TEST_MS);
    afterAll(async () => {
      for (const tenant of tenants) await tenant.close();
      await leave(
        currentBackend(),
        tenants.map(({ namespace }) => namespace),
      );
    }, TEST_MS);
    tests(async (namespace) => {
      const tenant = await openTenant(currentBackend(), namespace);
      tenants.push(tenant);
      return tenant;
    });
  });
}
