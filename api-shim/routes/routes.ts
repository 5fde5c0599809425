// All routes there are.
import type { Clock } from "../../operator/runtime/clock.ts";
import type { Transport } from "../../operator/runtime/transport.ts";
import type { Hub } from "../events/hub.ts";
import type { Intake } from "../intake/intake.ts";
import type { Storage } from "../storage/storage.ts";
import type { Tasks } from "../tasks/tasks.ts";
import type { CachedView } from "../tasks/view.ts";
import { assetRoutes } from "./assets.ts";
import { creditRoutes } from "./credits.ts";
import { documentRoute } from "./document.ts";
import { historyRoute } from "./history.ts";
import { pageRoutes } from "./page.ts";
import { providerRoute } from "./providers.ts";
import type { Route } from "./route.ts";
import { taskRoutes } from "./tasks.ts";

export interface RoutesDeps {
  readonly tasks: Tasks;
  readonly hub: Hub;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly storage: Storage;
  readonly transport: Transport;
  /** All tasks that the watch has. */
  readonly cached: () => readonly CachedView[];
  readonly uploadMaxBytes: number;
}

/** Of the interface, not of the product. */
const VERSION = "1.0.0";

export function makeRoutes({ cached, ...deps }: RoutesDeps): readonly Route[] {
  const routes = [
    ...taskRoutes(deps),
    ...assetRoutes(deps),
    historyRoute(deps),
    ...creditRoutes({ transport: deps.transport, tasks: cached }),
    providerRoute(deps.transport),
  ];
  return [...routes, documentRoute(routes, VERSION), ...pageRoutes(deps.storage)]; // the page is no part of the interface
}
