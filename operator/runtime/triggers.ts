// From changes of a collection to keys of a controller, and which changes count.
import type { Controller } from "./controller.ts";
import { keyOf, type KubeObject } from "./objects.ts";
import type { Reflector } from "./reflector.ts";

/** Does this change call for a pass? */
export type Predicate<T> = (next: T | undefined, previous: T | undefined) => boolean;

export interface TriggerOptions<T> {
  /** Default: every change. */
  readonly when?: Predicate<T>;
  /** Whose pass a change calls for. Default: the object's own. */
  readonly keys?: (object: T) => Iterable<string>;
}

/** Asks the controller for a pass at each change that counts. What a start finds waits behind what people just did. */
export function enqueueOnChange<T extends KubeObject>(
  reflector: Pick<Reflector<T>, "onChange">,
  controller: Pick<Controller, "enqueue">,
  options: TriggerOptions<T> = {},
): void {
  const { when = () => true, keys = (object: T) => [keyOf(object)] } = options;
  reflector.onChange((_, next, previous, { initial }) => {
    if (!when(next, previous)) return;
    const priority = initial ? "background" : "live";
    // An object that moved from one owner to another concerns both.
    const concerned = new Set([...(previous ? keys(previous) : []), ...(next ? keys(next) : [])]);
    for (const key of concerned) controller.enqueue(key, { priority });
  });
}

export interface Commands {
  /** Names of annotations and labels by which people give orders. */
  readonly annotations?: readonly string[];
  readonly labels?: readonly string[];
}

/**
 * What a person changed, as opposed to what a controller wrote: the spec (generation), the deletion, the finalizers and
 * the named annotations and labels. Status writes do not count, so that no controller is woken by itself.
 */
export function specOrCommand(commands: Commands = {}): Predicate<KubeObject> {
  const { annotations = [], labels = [] } = commands;
  return (next, previous) => {
    if (!next || !previous) return true;
    const [now, before] = [next.metadata, previous.metadata];
    return (
      now.generation !== before.generation ||
      now.deletionTimestamp !== before.deletionTimestamp ||
      now.finalizers?.join() !== before.finalizers?.join() ||
      annotations.some((name) => now.annotations?.[name] !== before.annotations?.[name]) ||
      labels.some((name) => now.labels?.[name] !== before.labels?.[name])
    );
  };
}

export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (next, previous) => predicates.some((predicate) => predicate(next, previous));
}
