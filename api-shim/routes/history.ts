// What the operator told of one task, as the cluster's events keep it. The books themselves are in the database, which cannot
// be reached from here.
import { z } from "zod";
import type { KubeObject, ResourceKind } from "../../operator/runtime/objects.ts";
import { makeResource } from "../../operator/runtime/resources.ts";
import type { Transport } from "../../operator/runtime/transport.ts";
import { asProblem, type Tasks } from "../tasks/tasks.ts";
import { route, type Route } from "./route.ts";
import { NO_STORE, TaskParams } from "./schemas.ts";

const EVENTS: ResourceKind = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };
/** A task has two, and a few more for each attempt; the operator itself tells no more than some dozens an hour. */
const MAX_EVENTS = 200;
const CALL_MS = 8_000;

const Happening = z.strictObject({
  type: z.enum(["Normal", "Warning"]).describe("Warning: worth a look."),
  reason: z.string().describe("What happened, as a word."),
  note: z.string().describe("The same as a sentence."),
  firstTime: z.iso.datetime().describe("When it happened, for the first time."),
  lastTime: z.iso.datetime().describe("And for the last time."),
  count: z.int().min(1).describe("How often."),
});
export type Happening = z.infer<typeof Happening>;

const History = z.strictObject({ events: z.array(Happening).describe("Oldest first.") }).meta({ id: "History" });

/** Of events.k8s.io/v1, what is shown. */
const WireEvent = z.looseObject({
  type: z.enum(["Normal", "Warning"]).catch("Normal"),
  reason: z.string().catch(""),
  note: z.string().catch(""),
  eventTime: z.iso.datetime(),
  reportingController: z.string(),
  series: z
    .looseObject({ count: z.int().min(1), lastObservedTime: z.iso.datetime() })
    .optional()
    .catch(undefined),
});

/** As the operator signs its events. */
const CONTROLLER = "genop.dev/operator";

export interface HistoryDeps {
  readonly tasks: Tasks;
  readonly transport: Transport;
}

export function historyRoute({ tasks, transport }: HistoryDeps): Route {
  const events = makeResource<KubeObject>(transport, EVENTS);
  return route({
    method: "GET",
    path: "/v1/tasks/{id}/history",
    id: "getHistory",
    summary:
      "What the operator told of the task, for as long as the cluster keeps its events: an hour, if nobody changed that.",
    access: { verb: "get", resource: "generationtasks" },
    params: TaskParams,
    replies: [{ status: 200, description: "What is kept of it.", schema: History }],
    problems: ["not-found"],
    handle: async ({ caller: { namespace }, params: { id }, signal }) => {
      const { metadata } = await tasks.get(namespace, id, signal);
      const scope = { namespace, fieldSelector: `regarding.uid=${metadata.uid ?? ""}` };
      const found = await told(events.list(scope, { signal, timeoutMs: CALL_MS })).catch(asProblem);
      return { status: 200, body: { events: found }, headers: NO_STORE };
    },
  });
}

async function told(events: AsyncIterable<KubeObject>): Promise<readonly Happening[]> {
  const found: Happening[] = [];
  for await (const event of events) {
    const happening = happeningOf(event);
    if (happening) found.push(happening);
    if (found.length === MAX_EVENTS) break;
  }
  return found.sort((one, other) => Date.parse(one.firstTime) - Date.parse(other.firstTime));
}

/** Undefined: somebody else's, or none that can be read. */
function happeningOf(event: KubeObject): Happening | undefined {
  const read = WireEvent.safeParse(event);
  if (!read.success || read.data.reportingController !== CONTROLLER) return undefined;
  const { eventTime: firstTime, note, reason, series, type } = read.data;
  return { type, reason, note, firstTime, lastTime: series?.lastObservedTime ?? firstTime, count: series?.count ?? 1 };
}
