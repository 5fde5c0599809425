// Brings the whole of a collection into memory: streamed by the server where it can (WatchList), else page by page.
// Repeats nothing; the reflector decides what to do about a fault.
import { isExpired, KubeError } from "./errors.ts";
import { keyOf, type KubeObject, type ResourceKind } from "./objects.ts";
import { pagesOf, type Scope } from "./resources.ts";
import type { Transport } from "./transport.ts";
import type { WatchEvent } from "./watch.ts";

export interface Snapshot<T> {
  readonly objects: Map<string, T>;
  readonly resourceVersion: string;
}

export interface Gathering<T> {
  readonly admit: (object: T) => T;
  readonly pause: () => Promise<void> | undefined;
  /** The server said something. */
  readonly heard: () => void;
}

/** Reads the events of a watch up to the end of its initial ones; the events after it remain in the iterator. */
export async function collectInitial<T extends KubeObject>(
  events: AsyncIterator<WatchEvent<T>, void>,
  { admit, pause, heard }: Gathering<T>,
): Promise<Snapshot<T>> {
  const objects = new Map<string, T>();
  for (;;) {
    const { done, value: event } = await events.next();
    if (done) throw new KubeError({ method: "GET", path: "watch", status: 0, reason: "InitialEventsCut" });
    heard();
    if (event.type === "BOOKMARK") {
      if (event.endsInitial) return { objects, resourceVersion: event.resourceVersion };
    } else if (event.type === "DELETED") {
      objects.delete(keyOf(event.object));
    } else {
      objects.set(keyOf(event.object), admit(event.object));
    }
    await pause();
  }
}

export interface PageReader<T> {
  read(gathering: Gathering<T>, signal: AbortSignal): Promise<Snapshot<T>>;
}

const MAX_PAGE_SIZE = 16_000;

/** Lists page by page. A list that outlives its version is begun again with larger pages, by the next call. */
export function makePageReader<T extends KubeObject>(
  transport: Transport,
  kind: ResourceKind,
  scope: Scope & { readonly pageSize: number },
): PageReader<T> {
  let pageSize = scope.pageSize;

  async function collect({ admit, pause, heard }: Gathering<T>, signal: AbortSignal): Promise<Snapshot<T>> {
    const objects = new Map<string, T>();
    let resourceVersion = "";
    for await (const page of pagesOf<T>(transport, kind, { ...scope, pageSize }, { signal })) {
      heard();
      resourceVersion = page.metadata.resourceVersion ?? resourceVersion;
      for (const object of page.items ?? []) {
        objects.set(keyOf(object), admit(object));
        await pause();
      }
    }
    return { objects, resourceVersion };
  }

  return {
    read: async (gathering, signal) => {
      try {
        return await collect(gathering, signal);
      } catch (error) {
        if (isExpired(error)) pageSize = Math.min(MAX_PAGE_SIZE, pageSize * 4);
        throw error;
      }
    },
  };
}
