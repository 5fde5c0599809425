// A program: one candidate that, while it leads, writes its name into the ConfigMap "work" again and again, each time over what it
// has just read. Says "standing" when it stands for election and hears signals, and "leading" once it leads; ends with 0 after SIGTERM, with 3 when it lost its lease.
import { setTimeout as pause } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node";
import type { ElectorSettings } from "../../../operator/runtime/elector.ts";
import { isConflict } from "../../../operator/runtime/errors.ts";
import type { KubeObject } from "../../../operator/runtime/objects.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { makeTransport } from "../../../operator/runtime/transport.ts";
import { startCandidate } from "./candidate.ts";

export interface CandidateArguments {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  readonly namespace: string;
  readonly identity: string;
  readonly settings: ElectorSettings;
}

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const BETWEEN_WRITES_MS = 100;
const { server, caFile, token, namespace, identity, settings } = JSON.parse(
  process.argv[2] ?? "{}",
) as CandidateArguments;

const kubeConfig = new KubeConfig();
kubeConfig.loadFromClusterAndUser({ name: "c", server, caFile, skipTLSVerify: false }, { name: "admin", token });
const transport = makeTransport({ kubeConfig });
const maps = makeResource<KubeObject>(transport, CONFIG_MAPS);
const { signal } = new AbortController();

const candidate = startCandidate({
  ...{ kubeConfig, namespace, identity, settings, kind: CONFIG_MAPS },
  onLeading: () => void process.stdout.write("leading\n"),
  // Its own write brings it back.
  pass: async ({ key }) => {
    if (!key.endsWith("/work")) return;
    await pause(BETWEEN_WRITES_MS);
    const { metadata } = (await maps.get(key, { signal })) ?? {};
    if (!candidate.isLeading() || !metadata) return;
    const { resourceVersion } = metadata;
    const data = { by: identity, at: String(performance.now()) };
    await maps.patch(key, { metadata: { resourceVersion }, data }, { signal }).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
  },
});
process.on("SIGTERM", () => candidate.stop());
process.stdout.write("standing\n");
const wasOrderly = await candidate.ended;
process.exit(wasOrderly ? 0 : 3);
