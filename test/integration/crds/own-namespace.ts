// A test file's own namespace on the shared API server, with the definitions installed: made before its tests, gone after.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "@jest/globals";
import type { AttachedEnvironment } from "../../env/attach.ts";
import { kubectl } from "../../env/kubectl.ts";
import { installDefinitions, makeApiServer, type ApiServer } from "./api-server.ts";

/** Answers the namespace's name, and the server, which there is once the tests begin. */
export function useOwnNamespace(environment: AttachedEnvironment): {
  readonly namespace: string;
  readonly server: () => ApiServer;
} {
  const namespace = `crds-${randomBytes(4).toString("hex")}`;
  let server: ApiServer | undefined;
  const present = (): ApiServer => {
    if (!server) throw new Error("the namespace is not made yet");
    return server;
  };
  beforeAll(async () => {
    server = makeApiServer(environment, namespace);
    await kubectl(environment, ["create", "namespace", namespace]);
    await installDefinitions(environment);
  }, 60_000);
  afterAll(async () => {
    await kubectl(environment, ["delete", "namespace", namespace, "--wait=false"]);
    await present().close();
  });
  return { namespace, server: present };
}
