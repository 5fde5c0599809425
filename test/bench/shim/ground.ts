// Where tasks are made that nobody works on: an API server with our definitions, the shim's account, and a caller who may do
// everything with the tasks of one namespace.
import { startEnvironment } from "../../env/environment.ts";
import { installDefinitions } from "../../integration/crds/api-server.ts";
import { applyObjects, installShim } from "../../operator/installation.ts";
import { accountObjects, namespaceObject } from "../../operator/tenancy.ts";
import { makeApi, type Api } from "../api.ts";
import { NAMESPACE, type Ground } from "./faces.ts";

export interface OpenGround extends Ground {
  readonly api: Api;
  /** The caller's. */
  readonly token: string;
  /** Removes all tasks, so that each run begins with none. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

export const TASKS_PATH = `/apis/genop.dev/v1alpha1/namespaces/${NAMESPACE}/generationtasks`;
const HOME = "genop-system";

export async function openGround(signal: AbortSignal): Promise<OpenGround> {
  const options = { controllerManager: false, postgres: false, provider: false, say: () => undefined };
  const environment = await startEnvironment(options, signal);
  try {
    await installDefinitions(environment);
    await applyObjects(environment, [
      namespaceObject(HOME),
      namespaceObject(NAMESPACE),
      ...accountObjects(NAMESPACE, "caller"),
    ]);
    const { kubeconfigPath } = await installShim(environment, HOME);
    const { token } = await environment.tokenFor(`${NAMESPACE}/caller`);
    const api = makeApi(environment);
    return {
      ...{ environment, kubeconfigPath, token, api },
      clear: async () => {
        await api.call("DELETE", TASKS_PATH);
      },
      stop: async () => {
        await api.close();
        await environment.stop();
      },
    };
  } catch (error) {
    await environment.stop();
    throw error;
  }
}
