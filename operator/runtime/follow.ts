// One round of following a collection: list it when that is due, then watch until the watch ends. Remembers between
// rounds what the last one taught. Does not wait between rounds; see reflector.ts.
import type { Clock, Random } from "./clock.ts";
import { isExpired, isVersionTooLarge, KubeError } from "./errors.ts";
import { collectInitial, makePageReader, type Gathering, type PageReader, type Snapshot } from "./listing.ts";
import { compareVersions, pathOf, type KubeObject, type ResourceKind } from "./objects.ts";
import { pagesOf, type Scope } from "./resources.ts";
import { makeSlices } from "./slices.ts";
import type { WritableStore } from "./store.ts";
import type { Transport } from "./transport.ts";
import { watchEvents, type WatchEvent, type WatchOptions } from "./watch.ts";

export interface FollowSettings {
  readonly pageSize: number;
  /** The longest silence. The server sends a bookmark a minute; less than 62 s would cut healthy watches. */
  readonly idleMs: number;
  /** A watch lasts this long, up to twice. */
  readonly lifetimeMs: number;
  /** A full list at the latest after this time, up to twice: repairs what no protocol can show. */
  readonly relistMs: number;
  /** "never" for servers that are known not to stream lists. Others are found out. */
  readonly watchList: "auto" | "never";
}

export interface WatchMetrics {
  event(type: WatchEvent<unknown>["type"]): void;
  /** A list or watch ended before its time; `reason` is the fault's. */
  restarted(reason: string): void;
  relisted(): void;
}

export interface FollowDeps<T> {
  readonly transport: Transport;
  readonly kind: ResourceKind;
  readonly scope: Scope;
  readonly store: WritableStore<T>;
  readonly settings: FollowSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: WatchMetrics | undefined;
  /** Shrinks an object before it is kept. */
  readonly admit: (object: T) => T;
  /** The server said something. */
  readonly heard: () => void;
  /** The store is whole, and the handlers know. */
  readonly whole: (how: "streamed" | "paged") => void;
}

export interface Follower {
  /** Resolves when a watch ended in order; rejects with the fault that ended it. */
  round(signal: AbortSignal): Promise<void>;
}

interface State<T> extends FollowDeps<T> {
  readonly pages: PageReader<T>;
  readonly gathering: Gathering<T>;
  canStreamLists: boolean;
  streamsCut: number;
  mustList: boolean;
  mustCheckHistory: boolean;
  listAgainMs: number;
}

// A watch that ends at once and empty is somebody's fault: without a pause it would spin.
const SHORTEST_WATCH_MS = 1_000;
const MAX_STREAMS_CUT = 3;

export function makeFollower<T extends KubeObject>(deps: FollowDeps<T>): Follower {
  const { transport, kind, scope, settings, clock } = deps;
  const state: State<T> = {
    ...deps,
    pages: makePageReader(transport, kind, { ...scope, pageSize: settings.pageSize }),
    gathering: { admit: deps.admit, pause: makeSlices(clock), heard: deps.heard },
    canStreamLists: settings.watchList === "auto",
    streamsCut: 0,
    mustList: true,
    mustCheckHistory: false,
    listAgainMs: 0,
  };
  return {
    round: async (signal) => {
      try {
        await round(state, signal);
      } catch (error) {
        if (!signal.aborted) learn(state, error);
        throw error;
      }
    },
  };
}

async function round<T extends KubeObject>(state: State<T>, signal: AbortSignal): Promise<void> {
  if (state.mustCheckHistory && !state.mustList) await checkHistory(state, signal);
  state.mustCheckHistory = false;

  const isDue = state.mustList || state.clock.monotonicMs() >= state.listAgainMs;
  if (isDue && state.canStreamLists && (await streamThenWatch(state, signal)) === "done") return;
  if (isDue) await replace(state, await state.pages.read(state.gathering, signal), "paged");
  await watch(state, open(state, { from: { resourceVersion: state.store.seen().resourceVersion }, signal }));
}

// A restored database begins at an older version. The server would not complain: it would send nothing until its
// versions have caught up with ours, and leave out everything that happened until then.
async function checkHistory<T extends KubeObject>(state: State<T>, signal: AbortSignal): Promise<void> {
  const { transport, kind, scope, store } = state;
  for await (const page of pagesOf(transport, kind, { ...scope, pageSize: 1 }, { signal })) {
    state.heard();
    state.mustList = compareVersions(page.metadata.resourceVersion ?? "", store.seen().resourceVersion) < 0;
    return;
  }
}

async function streamThenWatch<T extends KubeObject>(
  state: State<T>,
  signal: AbortSignal,
): Promise<"done" | "refused"> {
  const events = open(state, { from: "everything", signal });
  try {
    const snapshot = await collectInitial(events, state.gathering).catch((error: unknown) =>
      undefinedIfRefused(state, error),
    );
    if (!snapshot) return "refused";
    state.streamsCut = 0;
    await replace(state, snapshot, "streamed");
    await watch(state, events);
    return "done";
  } finally {
    await events.return();
  }
}

// Older servers refuse the parameters of a streamed list; something in between may cut it again and again.
function undefinedIfRefused<T>(state: State<T>, error: unknown): undefined {
  if (!(error instanceof KubeError)) throw error;
  if (error.reason === "InitialEventsCut") state.streamsCut += 1;
  const isRefused = error.status === 400 || error.status === 422 || state.streamsCut >= MAX_STREAMS_CUT;
  if (!isRefused) throw error;
  state.canStreamLists = false;
}

async function replace<T extends KubeObject>(
  state: State<T>,
  { objects, resourceVersion }: Snapshot<T>,
  how: "streamed" | "paged",
): Promise<void> {
  const { store, settings, clock, random } = state;
  await store.replaceAll(objects, resourceVersion, state.gathering.pause);
  state.mustList = false;
  state.listAgainMs = clock.monotonicMs() + settings.relistMs * (1 + random());
  state.metrics?.relisted();
  state.whole(how);
}

function open<T extends KubeObject>(
  state: State<T>,
  options: Pick<WatchOptions, "from" | "signal">,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { transport, kind, scope, settings, random } = state;
  const lifetimeMs = settings.lifetimeMs * (1 + random());
  return watchEvents<T>(transport, kind, scope, { ...options, lifetimeMs, idleMs: settings.idleMs });
}

async function watch<T extends KubeObject>(state: State<T>, events: AsyncIterable<WatchEvent<T>>): Promise<void> {
  const startedMs = state.clock.monotonicMs();
  let count = 0;
  for await (const event of events) {
    count += 1;
    state.heard();
    state.metrics?.event(event.type);
    apply(state, event);
    await state.gathering.pause();
  }
  const isShort = state.clock.monotonicMs() - startedMs < SHORTEST_WATCH_MS;
  if (count === 0 && isShort) throw faultOf(state, "WatchTooShort");
}

function apply<T extends KubeObject>(state: State<T>, event: WatchEvent<T>): void {
  const { store } = state;
  const version = event.type === "BOOKMARK" ? event.resourceVersion : (event.object.metadata.resourceVersion ?? "");
  if (compareVersions(version, store.seen().resourceVersion) < 0) throw faultOf(state, "HistoryWentBack");

  if (event.type === "DELETED") store.remove(state.admit(event.object));
  else if (event.type !== "BOOKMARK") store.put(state.admit(event.object));
  store.advance(version);
}

function learn<T>(state: State<T>, error: unknown): void {
  const reason = error instanceof KubeError ? error.reason : "Error";
  state.metrics?.restarted(reason);
  state.mustCheckHistory = true;
  state.mustList ||= isExpired(error) || isVersionTooLarge(error) || reason === "HistoryWentBack";
}

function faultOf<T>(state: State<T>, reason: string): KubeError {
  const path = pathOf(state.kind, { namespace: state.scope.namespace });
  return new KubeError({ method: "GET", path, status: 0, reason });
}
