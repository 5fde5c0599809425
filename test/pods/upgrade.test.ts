// From the version before to this one and back, while tasks run.
import { expect, test } from "@jest/globals";
import { join } from "node:path";
import { PREVIOUS_TREE } from "../cluster/previous.ts";
import { currentBackend } from "./backend.ts";
import { TEST_MS, onRealPods } from "./level.ts";
import { RELEASE, NAMESPACE, install, leave, operatorImages, upgrade } from "./release.ts";
import { helm } from "./site.ts";
import { STORE_VALUES } from "./stores.ts";
import { bringProvider, expectPaidOnce, openTenant } from "./tenant.ts";

const VALUES = { quota: { simulated: { submit: { perSecond: 2, burst: 2 }, inFlight: 100 } } };
const TENANT = "upgraded";

onRealPods("upgrading", () => {
  test(
    "from the version before, with tasks in flight, and back again",
    async () => {
      const backend = currentBackend();
      const { previous, product } = backend.images;
      const before = { ...VALUES, image: previous };
      await install(backend, before, join(PREVIOUS_TREE, "charts", "generation-operator"));
      await bringProvider(backend);
      const tenant = await openTenant(backend, TENANT);

      await tenant.ask(60);
      await tenant.untilSubmitted(4);
      await upgrade(backend, { ...STORE_VALUES, ...VALUES });
      expect(await operatorImages(backend)).toEqual([product.tag]);
      await tenant.untilSubmitted(20);
      await helm(backend, ["rollback", RELEASE, "1", "--namespace", NAMESPACE, "--wait", "--timeout=180s"]);
      expect(await operatorImages(backend)).toEqual([previous.tag]);

      await expectPaidOnce(tenant, await tenant.untilSucceeded());
      await tenant.close();
      await leave(backend, [TENANT]);
    },
    TEST_MS,
  );
});
