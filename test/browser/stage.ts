// What the page is tried on: the whole stack with an operator, and the REST face as a process that can be taken away and come
// again under the same address.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { installShim, variablesOf } from "../integration/api-shim/fixture.ts";
import { applyObjects, NAMESPACE } from "../operator/installation.ts";
import { startOperator, type OperatorProcess } from "../operator/process.ts";
import { standUp, TENANT, type Stand, type StandOptions } from "../operator/stand.ts";

export interface Stage {
  readonly stand: Stand;
  /** Of the page, without a hash. */
  readonly url: string;
  /** Of an account that may do everything with the tenant's tasks, and nothing elsewhere. */
  readonly token: string;
  /** Takes the REST face away; resolves when its process has ended. */
  takeAway(): Promise<void>;
  /** Brings it back, at the same address. */
  bringBack(): Promise<void>;
  close(): Promise<void>;
}

const MAIN = join(import.meta.dirname, "..", "..", "api-shim", "main.ts");
const START_MS = 240_000;

/** Who leads is not what is tried: on a busy machine the one operator keeps its lease. */
const PATIENCE = { LEASE_DURATION_SECONDS: "120", LEASE_RENEW_DEADLINE_SECONDS: "100", LEASE_RETRY_SECONDS: "1" };

export async function setStage(providers: StandOptions["providers"] & object): Promise<Stage> {
  const stand = await standUp({ providers, variables: PATIENCE });
  const { environment } = stand;
  await applyObjects(environment, accountObjects());
  const [{ token }, account] = await Promise.all([
    environment.tokenFor(`${TENANT}/app`),
    installShim(environment, NAMESPACE),
  ]);
  const variables = {
    ...variablesOf(environment, account.kubeconfigPath),
    HEARTBEAT_SECONDS: "1",
    STREAM_SECONDS: "600",
  };
  const logFile = join(environment.folder, "logs", "rest.log");
  let shim: OperatorProcess;
  async function start(port: string): Promise<string> {
    shim = startOperator({ variables: { ...variables, REST_PORT: port } }, { main: MAIN, logFile });
    const { port: taken } = await shim.logged(({ event }) => event === "rest.listening", AbortSignal.timeout(START_MS));
    return String(taken);
  }
  const port = await start("0");
  return {
    ...{ stand, token, url: `http://127.0.0.1:${port}/` },
    takeAway: async () => {
      await shim.stop();
    },
    bringBack: async () => {
      await start(port);
    },
    close: async () => {
      await shim.stop();
      await stand.stop();
    },
  };
}

function accountObjects(): readonly object[] {
  const metadata = { namespace: TENANT, name: "app" };
  const rbac = "rbac.authorization.k8s.io";
  const verbs = ["create", "delete", "get", "list", "patch", "watch"];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: "Role", metadata },
      rules: [{ apiGroups: ["genop.dev"], resources: ["generationtasks", "creditgrants"], verbs }],
    },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata },
      roleRef: { apiGroup: rbac, kind: "Role", name: "app" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
  ];
}

/** As a person does it; resolves when the page is live. */
export async function signIn(page: Page, { token, url }: Pick<Stage, "token" | "url">, hash = ""): Promise<void> {
  await page.goto(`${url}${hash}`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await untilLive(page);
}

export async function untilLive(page: Page): Promise<void> {
  await page.locator('#connection[data-state="live"]').waitFor();
}
