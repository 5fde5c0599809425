// A reflector that follows a server which plays answers in turn.
import type { KubeObject, ResourceKind } from "../../../operator/runtime/objects.ts";
import { makeReflector, type Reflector, type ReflectorDeps } from "../../../operator/runtime/reflector.ts";
import { answer, hangUp, lines, makeFastClock, type Answer, type Asked } from "./scripted-server.ts";
import { later, start } from "./with-server.ts";

const THINGS: ResourceKind = { group: "example.org", version: "v1", plural: "things", namespaced: true };

export const thing = (name: string, version: number, uid = name): KubeObject => ({
  metadata: { namespace: "ns", name, uid, resourceVersion: String(version), managedFields: [{}] },
});
export const event = (type: string, object: unknown): unknown => ({ type, object });
export const bookmark = (version: number, endsInitial = false): unknown =>
  event("BOOKMARK", {
    metadata: {
      resourceVersion: String(version),
      ...(endsInitial && { annotations: { "k8s.io/initial-events-end": "true" } }),
    },
  });
export const page = (version: number, items: readonly KubeObject[], next?: string): Answer =>
  answer({ metadata: { resourceVersion: String(version), continue: next }, items });

export const isWatch = ({ query }: Asked): boolean => query.get("watch") === "true";
export const isStreamedList = ({ query }: Asked): boolean => query.get("sendInitialEvents") === "true";

export interface Followed {
  readonly reflector: Reflector<KubeObject>;
  readonly asked: Asked[];
  readonly changes: string[];
  /** Resolves when so many changes were told. */
  readonly told: (count: number) => Promise<void>;
  /** Resolves when so many requests have come. */
  readonly asking: (count: number) => Promise<void>;
}

/** Plays the answers in turn, one per request; the last one again and again. */
export async function follow(
  answers: readonly Answer[],
  deps: Partial<ReflectorDeps<KubeObject>> = {},
): Promise<Followed> {
  const changes: string[] = [];
  const waiting: { isMet: () => boolean; resolve: () => void }[] = [];
  const check = (): void => waiting.filter(({ isMet }) => isMet()).forEach(({ resolve }) => resolve());
  const until = (isMet: () => boolean): Promise<void> =>
    isMet() ? Promise.resolve() : new Promise((resolve) => waiting.push({ isMet, resolve }));

  const { server, transport } = await start((_, count) => {
    setImmediate(check);
    return answers[Math.min(count, answers.length) - 1] ?? hangUp;
  });
  const clock = makeFastClock(10);
  const reflector = makeReflector<KubeObject>({ transport, kind: THINGS, clock, random: () => 0, ...deps });
  reflector.onChange((key, next, previous, { initial }) => {
    const version = (object?: KubeObject): string => object?.metadata.resourceVersion ?? "-";
    changes.push(`${key} ${version(previous)}→${version(next)}${initial ? " initial" : ""}`);
    check();
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  later(async () => {
    stop.abort(new Error("the test is over"));
    await running;
  });
  return {
    ...{ reflector, asked: server.asked, changes },
    told: (count) => until(() => changes.length >= count),
    asking: (count) => until(() => server.asked.length >= count),
  };
}

/** Two objects, whole at version 5, and a change. */
export const streamed = lines([
  event("ADDED", thing("a", 1)),
  event("ADDED", thing("b", 2)),
  bookmark(5, true),
  event("MODIFIED", thing("a", 6)),
]);
