// What the page is tried on: the whole stack with an operator, and the REST face as a process.
import { join } from "node:path";
import { variablesOf } from "../integration/api-shim/fixture.ts";
import { applyObjects, installShim, NAMESPACE } from "../operator/installation.ts";
import { startOperator } from "../operator/process.ts";
import { standUp, TENANT, type Stand, type StandOptions } from "../operator/stand.ts";
import { accountObjects } from "../operator/tenancy.ts";

export interface Stage {
  readonly stand: Stand;
  /** Of the page, without a hash. */
  readonly url: string;
  /** Of an account that may do everything with the tenant's tasks, and nothing elsewhere. */
  readonly token: string;
  close(): Promise<void>;
}

const MAIN = join(import.meta.dirname, "..", "..", "api-shim", "main.ts");
const START_MS = 240_000;

/** Who leads is not what is tried: on a busy machine the one operator keeps its lease. */
const PATIENCE = { LEASE_DURATION_SECONDS: "120", LEASE_RENEW_DEADLINE_SECONDS: "100", LEASE_RETRY_SECONDS: "1" };

export async function setStage(providers: StandOptions["providers"] & object): Promise<Stage> {
  const stand = await standUp({ providers, variables: PATIENCE });
  const { environment } = stand;
  await applyObjects(environment, accountObjects(TENANT, "app"));
  const [{ token }, account] = await Promise.all([
    environment.tokenFor(`${TENANT}/app`),
    installShim(environment, NAMESPACE),
  ]);
  const variables = { ...variablesOf(environment, account.kubeconfigPath), HEARTBEAT_SECONDS: "1" };
  const shim = startOperator({ variables }, { main: MAIN, logFile: join(environment.folder, "logs", "rest.log") });
  const { port } = await shim.logged(({ event }) => event === "rest.listening", AbortSignal.timeout(START_MS));
  return {
    ...{ stand, token, url: `http://127.0.0.1:${String(port)}/` },
    close: async () => {
      await shim.stop();
      await stand.stop();
    },
  };
}
