// Where the demo plays: an embedded control plane, or somebody's cluster. Either way the operator's rights are its own.
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { startEnvironment } from "../env/environment.ts";
import type { AttachedEnvironment } from "../env/attach.ts";
import { install, installShim } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { announce, inspectCluster, withCluster } from "./existing-cluster.ts";
import { cleanCluster } from "./clean.ts";
import { TENANTS, namesWith } from "./names.ts";
import type { Names } from "./names.ts";

export interface Stage {
  readonly environment: AttachedEnvironment;
  readonly installation: Installation;
  readonly names: Names;
  /** Of an account with the rights of the REST face; undefined in somebody's cluster, which gets no more than it must. */
  readonly restKubeconfigPath: string | undefined;
  /** Beyond those of the installation. */
  readonly variables: Readonly<Record<string, string>>;
  /** Removes from a cluster that stays what the demo has made there. The operator must still run. */
  clean(stopOperator: () => Promise<void>): Promise<void>;
  /** Ends everything else. */
  stop(): Promise<void>;
}

type Say = (text: string) => void;

/** A control plane of its own; everything of it goes with the demo. */
export async function embeddedStage(say: Say, signal: AbortSignal): Promise<Stage> {
  say("starting etcd, kube-apiserver, kube-controller-manager, Postgres, S3 and a provider that can misbehave");
  const environment = await startEnvironment({ say }, signal);
  try {
    signal.throwIfAborted();
    say("installing: CRDs, a service account with the operator's rights, a database with a role of its own");
    const names = namesWith("", { namespace: "genop-system", account: "generation-operator" });
    const installation = await install(environment, names.operator);
    const { kubeconfigPath: restKubeconfigPath } = await installShim(environment, names.operator.namespace);
    const clean = (stopOperator: () => Promise<void>): Promise<void> => stopOperator();
    const stop = (): Promise<void> => environment.stop();
    return { environment, installation, names, restKubeconfigPath, variables: {}, clean, stop };
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

/** Nobody waits here for a provider that may never answer: the objects go with the demo. */
const QUICK_DELETION = { DELETION_GRACE_SECONDS: "3" };

/** Somebody's cluster. Throws one sentence, and touches nothing, when it is not free of objects of genop.dev. */
export async function existingStage(kubeconfig: string, say: Say, signal: AbortSignal): Promise<Stage> {
  const found = await inspectCluster(resolve(kubeconfig), say);
  const suffix = `-${randomBytes(3).toString("hex")}`;
  const home = `genop-demo${suffix}`;
  const names = namesWith(suffix, { namespace: home, account: found.mayMakeAccount ? home : undefined });
  announce(found, { home, tenants: TENANTS.map(names.namespace) }, say);
  say("starting Postgres, S3 and a provider that can misbehave, on this machine");
  const embedded = await startEnvironment({ controlPlane: false, say }, signal);
  const environment = withCluster(embedded, found.cluster);
  const clean = (stopOperator: () => Promise<void>): Promise<void> =>
    cleanCluster({ ...found, names, say, stopOperator });
  try {
    signal.throwIfAborted();
    const installation = await install(environment, names.operator);
    const stop = (): Promise<void> => embedded.stop();
    return { environment, installation, names, restKubeconfigPath: undefined, variables: QUICK_DELETION, clean, stop };
  } catch (error) {
    await clean(() => Promise.resolve()).finally(() => embedded.stop());
    throw error;
  }
}
