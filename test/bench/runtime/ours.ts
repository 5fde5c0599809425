// The reconcile of the runtime bench on operator/runtime alone, put together as its README shows, with its metrics on.
// Arguments: namespace, number of writes to report, passes at once, and "patch" or "apply" for how a status is written.
import { KubeConfig } from "@kubernetes/client-node";
import { Registry } from "prom-client";
import { makeController } from "../../../operator/runtime/controller.ts";
import { makeLifecycle } from "../../../operator/runtime/lifecycle.ts";
import { makeRuntimeMetrics } from "../../../operator/runtime/metrics.ts";
import { makeOwnWrites } from "../../../operator/runtime/own-writes.ts";
import { cachesPart, controllerPart } from "../../../operator/runtime/parts.ts";
import { makeReflector } from "../../../operator/runtime/reflector.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { makeTransport } from "../../../operator/runtime/transport.ts";
import { enqueueOnChange, specOrCommand } from "../../../operator/runtime/triggers.ts";
import { beginProgram } from "./program.ts";
import { observedOf, WIDGETS, type Widget } from "./widget.ts";

const { namespace, wrote, ready, workers, how } = beginProgram();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const metrics = makeRuntimeMetrics(new Registry());
const log = (level: string, event: string, fields: object = {}): void => {
  if (level === "warn" || level === "error") console.error(event, fields);
};
const transport = makeTransport({ kubeConfig, log, metrics: metrics.rest });
const widgets = makeResource<Widget>(transport, WIDGETS);
const cache = makeReflector<Widget>({ transport, kind: WIDGETS, namespace, log, metrics: metrics.watch("widgets") });
const known = makeOwnWrites(cache);

function writeStatus(key: string, { metadata }: Widget, observed: string, signal: AbortSignal): Promise<Widget> {
  if (how !== "apply") return widgets.patchStatus(key, { status: { observed } }, { signal });
  const { name } = metadata;
  const object = {
    apiVersion: "bench.genop.dev/v1",
    kind: "Widget",
    metadata: { name, namespace },
    status: { observed },
  };
  return widgets.applyStatus(object as unknown as Widget, { signal, fieldManager: "bench", force: true });
}

const controller = makeController({
  name: "widgets",
  keys: () => cache.keys(),
  log,
  metrics: metrics.controller("widgets"),
  settings: { workers },
  reconcile: async (key, signal) => {
    const widget = known.get(key);
    if (!widget) return "rest";
    const observed = observedOf(widget);
    if (widget.status?.observed === observed) return "rest";
    known.wrote(await writeStatus(key, widget, observed, signal));
    wrote();
    return "rest";
  },
});
enqueueOnChange(cache, controller, { when: specOrCommand() });

const lifecycle = makeLifecycle({
  parts: [cachesPart([cache]), controllerPart(controller, () => Promise.resolve())],
  log,
});
const [stop, force] = [new AbortController(), new AbortController()];
process.on("SIGTERM", () => (stop.signal.aborted ? force : stop).abort());
const running = lifecycle.run({ stop: stop.signal, force: force.signal });
await cache.whenSynced(stop.signal);
ready();
await running;
await transport.close();
