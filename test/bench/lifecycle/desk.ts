// The baseline's calls to the API server and the database: each mark in the books, and what is told of it. Decides nothing.
import { randomUUID } from "node:crypto";
import type { Books } from "../../../operator/reconcile/ports.ts";
import type { AttemptIn, Attempt } from "../../../operator/task/attempt.ts";
import type { ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";
import { NO_BUDGET } from "../../../operator/task/budget.ts";
import { micro } from "../../../operator/task/credits.ts";
import { FINALIZER, TASK_KEY_ANNOTATION, type AssetStatus } from "../../../operator/task/resource.ts";
import { MERGE_PATCH, type Api } from "../api.ts";
import { statusOf } from "./status.ts";

export interface WireTask {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly annotations?: object;
  };
  readonly spec: { readonly model: string; readonly input: Readonly<Record<string, unknown>> };
}

export interface Desk {
  pin(task: WireTask): Promise<void>;
  begin(task: WireTask): Promise<AttemptIn<"intended">>;
  input(task: WireTask): Promise<Readonly<Record<string, unknown>>>;
  markSent(attempt: AttemptIn<"intended">): Promise<AttemptIn<"sent">>;
  markAccepted(task: WireTask, attempt: AttemptIn<"sent">, jobId: string): Promise<AttemptIn<"accepted">>;
  markReady(task: WireTask, attempt: AttemptIn<"accepted">): Promise<AttemptIn<"ready">>;
  end(task: WireTask, attempt: AttemptIn<"ready">, asset: AssetStatus): Promise<void>;
}

const NEVER = new AbortController().signal;
const JSON_PATCH = { contentType: "application/json-patch+json" };
const PRICE = micro(10_000n);
const UNLIMITED = { inFlight: undefined, modelInFlight: undefined, namespaceInFlight: undefined, rate: undefined };
const DEADLINE_MS = 20_000;
const FIRST_POLL_MS = 1000;

export const keyOf = ({ metadata }: WireTask): TaskKey => `${metadata.namespace}/${metadata.uid}` as TaskKey;
const pathOf = ({ metadata }: WireTask): string =>
  `/apis/genop.dev/v1alpha1/namespaces/${metadata.namespace}/generationtasks/${metadata.name}`;

export function makeDesk(api: Api, books: Books): Desk {
  const tell = (task: WireTask, status: object): Promise<unknown> =>
    api.call("PATCH", `${pathOf(task)}/status`, { status }, { contentType: MERGE_PATCH });
  return {
    pin: async (task) => {
      await books.load(keyOf(task), NEVER);
      await api.call("PATCH", pathOf(task), pinOf(task), JSON_PATCH);
    },
    begin: async (task) => {
      const begun = await books.begin(beginningOf(task), NEVER);
      const attempt = stateOf(begun, "intended");
      await tell(task, statusOf("Pending", { taskKey: keyOf(task), attempt: attempt.number }));
      return attempt;
    },
    input: async (task) => ((await api.call("GET", pathOf(task))) as WireTask).spec.input,
    markSent: async (attempt) => {
      const sent = await books.markSent(attempt, UNLIMITED, DEADLINE_MS, NEVER);
      if (sent.outcome !== "sent") throw new Error(`cannot go on: the mark is ${sent.outcome}`);
      return sent.attempt;
    },
    markAccepted: async (task, attempt, jobId) => {
      const accepted = await books.markAccepted(attempt, jobId as ProviderJobId, FIRST_POLL_MS);
      await Promise.all([
        tell(task, statusOf("Polling", { providerJobID: jobId, submittedTime: new Date().toISOString() })),
        api.call("POST", eventsPath(task), eventOf(task, "Submitted", "Submit")),
      ]);
      return stateOf(accepted, "accepted");
    },
    markReady: async (task, attempt) => {
      await books.load(keyOf(task), NEVER);
      return stateOf(await books.markReady(attempt, PRICE), "ready");
    },
    end: async (task, attempt, asset) => {
      const end = { phase: "Succeeded", reason: "AssetsPublished", message: "1 asset published" } as const;
      await books.end(attempt, { reason: "Succeeded", charge: PRICE, retryAfterMs: undefined, task: end }, [asset]);
      await Promise.all([
        tell(task, statusOf("Succeeded", { assets: [asset], progress: 100, completionTime: new Date().toISOString() })),
        api.call("POST", eventsPath(task), eventOf(task, "Succeeded", "End")),
      ]);
    },
  };
}

function pinOf(task: WireTask): object {
  const { annotations } = task.metadata;
  const path = `/metadata/annotations/${TASK_KEY_ANNOTATION.replaceAll("/", "~1")}`;
  return [
    ...(annotations ? [] : [{ op: "add", path: "/metadata/annotations", value: {} }]),
    { op: "add", path, value: keyOf(task) },
    { op: "add", path: "/metadata/finalizers", value: [FINALIZER] },
  ];
}

function beginningOf(task: WireTask): Parameters<Books["begin"]>[0] {
  const { name, namespace, uid } = task.metadata;
  return {
    ...{ key: keyOf(task), uid, namespace, name, specHash: "bare", provider: "simulated", model: task.spec.model },
    ...{ estimate: PRICE, decidedNumber: 0, priority: 0, budget: NO_BUDGET },
  };
}

/** The attempt, as the answer to a mark shows it. */
function stateOf<S extends Attempt["state"]>(answer: object, state: S): AttemptIn<S> {
  const { facts } = answer as { readonly facts?: { readonly attempt?: Attempt } };
  if (facts?.attempt?.state !== state) throw new Error(`cannot go on: the attempt is not ${state}`);
  return facts.attempt as AttemptIn<S>;
}

const eventsPath = ({ metadata }: WireTask): string => `/apis/events.k8s.io/v1/namespaces/${metadata.namespace}/events`;

function eventOf(task: WireTask, reason: string, action: string): object {
  const { name, namespace, uid } = task.metadata;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: `${name}.${randomUUID()}`, namespace },
    eventTime: new Date().toISOString().replace("Z", "000Z"),
    ...{ reportingController: "genop.dev/bare-loop", reportingInstance: "bare-loop", type: "Normal", reason, action },
    note: "as the operator would say it",
    regarding: { apiVersion: "genop.dev/v1alpha1", kind: "GenerationTask", name, namespace, uid },
  };
}
