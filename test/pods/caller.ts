// A pod that calls the shim by its Service all the while, as an application does.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "./backend.ts";
import { NAMESPACE } from "./release.ts";
import { applyObjects } from "../operator/installation.ts";
import { kubectl } from "./site.ts";

const SCRIPT = readFileSync(join(import.meta.dirname, "caller-main.ts"), "utf8");
const NAME = "caller";

export interface Calls {
  /** Requests. */
  readonly asked: number;
  /** `input.reference` of each task that was made. */
  readonly made: readonly string[];
  /** What each request that was not answered well was, and how it ended. */
  readonly failed: readonly string[];
}

/** In a namespace that is there; resolves when it calls. Its tasks name themselves `<namespace>/wish-N` to the provider. */
export async function startCaller(backend: Backend, namespace: string): Promise<{ stop(): Promise<Calls> }> {
  const metadata = { name: NAME, namespace };
  const env = { NAMESPACE: namespace, REST: `http://genop-rest.${NAMESPACE}.svc:8080` };
  const container = {
    name: NAME,
    image: backend.images.provider,
    imagePullPolicy: "IfNotPresent",
    command: ["node", "/scripts/caller-main.ts"],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    volumeMounts: [{ name: "scripts", mountPath: "/scripts" }],
  };
  const volumes = [{ name: "scripts", configMap: { name: NAME } }];
  const spec = { serviceAccountName: NAME, terminationGracePeriodSeconds: 1, containers: [container], volumes };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" };
  const subjects = [{ kind: "ServiceAccount", ...metadata }];
  await applyObjects(backend, [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata, roleRef, subjects },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "caller-main.ts": SCRIPT } },
    { apiVersion: "v1", kind: "Pod", metadata, spec },
  ]);
  await kubectl(backend, ["--namespace", namespace, "wait", "--for=condition=Ready", `pod/${NAME}`, "--timeout=60s"]);
  const path = `/api/v1/namespaces/${namespace}/pods/${NAME}:8080/proxy/stop`;
  return { stop: async () => JSON.parse(await kubectl(backend, ["get", "--raw", path])) as Calls };
}
