// Watches the tasks as the API server tells of them: every version of every object is one event, so that writes are counted
// and not guessed, whoever made them.
import type { Api } from "../api.ts";
import { TASKS_PATH } from "./stage.ts";

export interface Audience {
  /** Resolves at the first write to a task, and at the last task's end. */
  readonly begun: Promise<void>;
  readonly ended: Promise<void>;
  tally(): Tally;
  close(): void;
}

export interface Tally {
  /** From the first write to the last end. */
  readonly seconds: number;
  /** Writes to each task. */
  readonly writes: readonly number[];
  /** The size of each task's last version, as the API server sends it. */
  readonly bytes: readonly number[];
}

interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly phase?: string };
  };
}

interface State {
  readonly writes: Map<string, number>;
  readonly bytes: Map<string, number>;
  readonly done: Set<string>;
  beganMs: number;
  endedMs: number;
}

/** From the version of the list that it reads first. Fails when a task ends in another way than Succeeded. */
export async function watchAll(api: Api, tasks: number): Promise<Audience> {
  const { metadata } = (await api.call("GET", `${TASKS_PATH}?limit=1`)) as {
    readonly metadata: { readonly resourceVersion: string };
  };
  const state: State = { writes: new Map(), bytes: new Map(), done: new Set(), beganMs: 0, endedMs: 0 };
  const begun = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<undefined>();
  const ending = new AbortController();
  const follow = async (): Promise<void> => {
    const path = `${TASKS_PATH}?watch=true&timeoutSeconds=3600&resourceVersion=${metadata.resourceVersion}`;
    for await (const event of api.watch(path, ending.signal)) {
      note(state, event as WatchEvent);
      begun.resolve(undefined);
      if (state.done.size < tasks) continue;
      state.endedMs ||= performance.now();
      ended.resolve(undefined);
    }
    throw new Error("cannot go on: the watch ended before the tasks");
  };
  follow().catch(ended.reject);
  ended.promise.catch(() => undefined);
  return {
    begun: begun.promise,
    ended: ended.promise,
    tally: () => ({
      seconds: (state.endedMs - state.beganMs) / 1000,
      writes: [...state.writes.values()],
      bytes: [...state.bytes.values()],
    }),
    close: () => ending.abort(),
  };
}

const OTHER_ENDS: ReadonlySet<string | undefined> = new Set(["Failed", "Cancelled", "Rejected", "NeedsReview"]);

function note(state: State, { object, type }: WatchEvent): void {
  if (type !== "MODIFIED") throw new Error(`cannot count: the watch tells ${type}`);
  const { name } = object.metadata;
  const phase = object.status?.phase;
  if (OTHER_ENDS.has(phase)) throw new Error(`cannot compare: ${name} is ${phase ?? ""}`);
  state.beganMs ||= performance.now();
  state.writes.set(name, (state.writes.get(name) ?? 0) + 1);
  state.bytes.set(name, Buffer.byteLength(JSON.stringify(object)));
  if (phase === "Succeeded") state.done.add(name);
}
