// A cluster whose etcd is taken out for a while, so that its files can be copied or put in place.
import type { Environment } from "../env/environment.ts";

/** With the API server, which would write to it; both are up again afterwards. */
export async function withoutEtcd(environment: Environment, work: () => Promise<void>): Promise<void> {
  await environment.part("kube-apiserver").stop();
  await environment.part("etcd").stop();
  await work();
  await environment.part("etcd").start();
  await environment.part("kube-apiserver").start();
}
