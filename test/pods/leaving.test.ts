// The release goes while tasks run, in the documented order; nothing hangs, and nothing is left running at the provider.
import { expect, test } from "@jest/globals";
import { currentBackend } from "./backend.ts";
import { TEST_MS, onRealPods } from "./level.ts";
import { NAMESPACE, install, leave } from "./release.ts";
import { kubectl } from "./site.ts";
import { bringProvider, openTenant } from "./tenant.ts";
import { brokenBooks } from "../operator/verdict.ts";

const TENANT = "leaving";
/** Longer than the test: whoever ends in time was cancelled. */
const LONG_MS = 3_600_000;

onRealPods("taking it away", () => {
  test(
    "with running tasks, in the documented order",
    async () => {
      const backend = currentBackend();
      await install(backend);
      await bringProvider(backend);
      const tenant = await openTenant(backend, TENANT);
      await tenant.ask(20, { simulate: { durationMs: LONG_MS } });
      await tenant.untilSubmitted(20);
      await leave(backend, [TENANT]);

      const { jobs } = await tenant.stores.provider.record();
      const ours = jobs.filter(({ reference }) => reference.startsWith(`${TENANT}/`));
      expect(ours.map(({ state }) => state)).toEqual(Array.from({ length: 20 }, () => "cancelled"));
      const databaseUrl = await tenant.stores.databaseUrl();
      expect(await brokenBooks({ databaseUrl })).toEqual({});
      const gone = await kubectl(backend, ["get", "namespaces", "--output", "name"]);
      expect(gone).not.toMatch(new RegExp(`/(${TENANT}|${NAMESPACE})$`, "m"));
      expect(await kubectl(backend, ["api-resources", "--api-group=genop.dev", "--output", "name"])).toBe("");
      await tenant.close();
    },
    TEST_MS,
  );
});
