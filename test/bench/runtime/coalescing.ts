// Many changes of few objects, faster than statuses can be written: how many status writes one change costs.
import { forEachIndex } from "../api.ts";
import { startContestant, type Contestant } from "./contestant.ts";
import { changeWidget, type Field } from "./field.ts";
import { observedOf, widgetOf, type Widget } from "./widget.ts";

export interface Burst {
  readonly field: Field;
  readonly objects: number;
  /** Of each object, one after the other; objects change at the same time. */
  readonly changes: number;
  readonly workers: number;
  readonly signal: AbortSignal;
}

/** Status writes per change. Every object's last status is right, or this throws. */
export async function measureCoalescing(contestant: Contestant, burst: Burst): Promise<number> {
  const { field, objects, changes, workers, signal } = burst;
  const { namespace, collection } = await field.makeNamespace();
  const command = contestant.command({ namespace, writes: objects, workers });
  const running = startContestant(command, field.kubeconfigPath);
  try {
    await running.said("ready", signal);
    await field.createAll(namespace, objects);
    await running.said("done", signal);
    const before = await field.statusWrites();
    await forEachIndex(objects, objects, async (index) => {
      for (let change = 1; change <= changes; change++) {
        await changeWidget(field.api, collection, widgetOf(namespace, index, change));
      }
    });
    await settled(burst, { namespace, collection });
    return ((await field.statusWrites()) - before) / (objects * changes);
  } finally {
    await running.stop();
  }
}

/** Resolves when each object shows the status of its last change. */
async function settled(
  { field, objects, changes, signal }: Burst,
  { namespace, collection }: { readonly namespace: string; readonly collection: string },
): Promise<void> {
  const waitedFor = new Map(
    Array.from({ length: objects }, (_, index) => widgetOf(namespace, index, changes)).map((widget) => [
      widget.metadata.name,
      observedOf(widget),
    ]),
  );
  const stop = new AbortController();
  const path = `${collection}?watch=true&resourceVersion=0`;
  for await (const event of field.api.watch(path, AbortSignal.any([signal, stop.signal]))) {
    const { metadata, status } = (event as { readonly object: Widget }).object;
    if (status?.observed === waitedFor.get(metadata.name)) waitedFor.delete(metadata.name);
    if (waitedFor.size === 0) break;
  }
  stop.abort();
  signal.throwIfAborted();
}
