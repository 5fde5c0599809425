// The routes of events: of one task, and of all of a namespace.
import { z } from "zod";
import { compareVersions } from "../../operator/runtime/objects.ts";
import { isFinal } from "../../operator/task/phase.ts";
import type { Hub } from "../events/hub.ts";
import { streamNamespace } from "../events/namespace-stream.ts";
import { streamTask } from "../events/stream.ts";
import type { Tasks } from "../tasks/tasks.ts";
import { viewOf, type TaskView } from "../tasks/view.ts";
import { route, type Answer, type Route } from "./route.ts";
import { TaskParams } from "./schemas.ts";

export interface FollowDeps {
  readonly tasks: Tasks;
  readonly hub: Hub;
}

const ResumeHeader = z.looseObject({
  "last-event-id": z
    .string()
    .regex(/^[0-9]{0,32}$/)
    .optional()
    .describe("The id of the last event that was seen: the state is told only if it is newer."),
});

/** Of one event; a beat is a comment, and none. */
const StreamEvent = z.looseObject({
  event: z.enum(["task", "deleted"]).optional(),
  id: z.string().optional().describe("The version of the task."),
  data: z.string().optional().describe("The task as JSON."),
});

export function followRoute({ hub, tasks }: FollowDeps): Route {
  return route({
    method: "GET",
    path: "/v1/tasks/{id}/events",
    id: "followTask",
    summary:
      "The task's state now and whenever it changes, as server-sent events: `task` with the task, `deleted` at its end.",
    access: { verb: "watch", resource: "generationtasks" },
    params: TaskParams,
    headers: ResumeHeader,
    replies: [
      {
        status: 200,
        description:
          "The stream. It ends with a final phase, after some minutes, or when the server stops: connect again.",
        schema: StreamEvent,
        mediaType: "text/event-stream",
      },
      { status: 204, description: "Nothing will come after the event that was seen: do not connect again." },
    ],
    problems: ["not-found", "too-many-streams"],
    handle: async ({ caller: { namespace }, headers, params: { id }, signal }): Promise<Answer> => {
      const key = `${namespace}/${id}`;
      const lastVersion = headers["last-event-id"] ?? "";
      const first: TaskView = hub.seen(key) ?? viewOf(await tasks.get(namespace, id, signal));
      const isOver = isFinal(first.phase) && compareVersions(first.version, lastVersion) <= 0;
      if (isOver) return { status: 204 };
      const followed = { key, first, lastVersion };
      return {
        stream: { namespace, write: (deps, response, stop) => streamTask(deps, followed, response, stop) },
      };
    },
  });
}

/** Of one event of a namespace. */
const NamespaceEvent = z.looseObject({
  event: z.enum(["tasks", "task", "deleted"]).optional(),
  id: z.string().optional().describe("What Last-Event-ID then says: the client has all until here."),
  data: z
    .string()
    .optional()
    .describe(
      "`tasks`, always the first: {namespace, heartbeatSeconds, ids}, where ids are all tasks there are. `task`: the task. `deleted`: {id}.",
    ),
});

export function followAllRoute(): Route {
  return route({
    method: "GET",
    path: "/v1/events",
    id: "followTasks",
    summary:
      "All tasks of the namespace, as server-sent events: which there are, each as it stands, and each whenever it changes.",
    access: { verb: "watch", resource: "generationtasks" },
    headers: ResumeHeader,
    replies: [
      {
        status: 200,
        description: "The stream. It ends after some minutes, or when the server stops: connect again.",
        schema: NamespaceEvent,
        mediaType: "text/event-stream",
      },
    ],
    problems: ["too-many-streams"],
    handle: ({ caller: { namespace }, headers }): Promise<Answer> => {
      const followed = { namespace, lastVersion: headers["last-event-id"] ?? "" };
      return Promise.resolve({
        stream: { namespace, write: (deps, response, stop) => streamNamespace(deps, followed, response, stop) },
      });
    },
  });
}
