// The routes of tasks: make, list, read, delete. Following and changing them have files of their own.
import { z } from "zod";
import type { Clock } from "../../operator/runtime/clock.ts";
import { nameField } from "../../operator/task/fields.ts";
import { PHASES } from "../../operator/task/resource.ts";
import type { Intake } from "../intake/intake.ts";
import { Problem } from "../problems.ts";
import { createTask } from "../tasks/create.ts";
import { KEY_HEADER, readKey, taskNameOf } from "../tasks/identity.ts";
import { TaskRequest } from "../tasks/request.ts";
import { viewOf } from "../tasks/view.ts";
import { changeRoutes } from "./changes.ts";
import { followAllRoute, followRoute, type FollowDeps } from "./follow.ts";
import { route, type Route } from "./route.ts";
import { NO_STORE, TaskParams, TaskReply, taskPath } from "./schemas.ts";

export interface TaskRoutesDeps extends FollowDeps {
  readonly intake: Intake;
  readonly clock: Clock;
}

const LOCATION = { Location: "Where the task can be read." };
const MAX_PAGE = 500;

const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(100).describe("Tasks of a page, at most."),
  pageToken: z.string().min(1).max(4096).optional().describe("nextPageToken of the page before."),
  phase: z.enum(PHASES).optional().describe("Only tasks that the operator reports in this phase."),
  provider: nameField().optional().describe("Only tasks of this provider."),
});

const TaskList = z
  .strictObject({
    tasks: z.array(TaskReply).describe("In the order of their ids."),
    nextPageToken: z.string().optional().describe("Of the next page; absent on the last one. Good for some minutes."),
  })
  .meta({ id: "TaskList" });

const KEY_MESSAGE =
  "cannot be used: write 1 to 128 letters, digits, '.', '_', ':' and '-', beginning with a letter or digit";

const KeyHeader = z.looseObject({
  "idempotency-key": z
    .string()
    .regex(KEY_HEADER, KEY_MESSAGE)
    .optional()
    .meta({ required: true })
    .describe(
      "One task for each key and namespace, for as long as the task exists. Double quotes around it are no part of it.",
    ),
});

export function taskRoutes(deps: TaskRoutesDeps): readonly Route[] {
  return [
    create(deps),
    list(deps),
    read(deps),
    followRoute(deps),
    followAllRoute(),
    remove(deps),
    ...changeRoutes(deps),
  ];
}

function create({ clock, hub, intake, tasks }: TaskRoutesDeps): Route {
  return route({
    method: "POST",
    path: "/v1/tasks",
    id: "createTask",
    summary: "Ask for a generation. Answers before any provider is called; repeating it with the same key is safe.",
    access: { verb: "create", resource: "generationtasks" },
    headers: KeyHeader,
    body: TaskRequest.meta({ id: "TaskRequest" }),
    replies: [
      {
        status: 202,
        description: "The task is accepted, now or by an earlier request with this key and body.",
        schema: TaskReply,
        headers: { ...LOCATION, "Idempotent-Replayed": "`true` when the task was there already." },
      },
    ],
    problems: [
      ...(["idempotency-key-missing", "idempotency-key-reused", "being-deleted", "name-taken"] as const),
      ...(["refused-by-cluster", "books-unavailable", "backlog-full"] as const),
    ],
    handle: async ({ caller: { namespace }, given, headers, signal }) => {
      const key = keyOf(headers["idempotency-key"]);
      // A task that is there costs nothing new: its answer is repeated whatever the state of the intake.
      if (hub.seen(`${namespace}/${taskNameOf(namespace, key)}`) === undefined) intake.admit(namespace);
      const created = await createTask({ tasks: tasks.resource, clock }, { namespace, key, body: given }, signal);
      const replayed = created.isReplay ? { "idempotent-replayed": "true" } : undefined;
      const task = viewOf(created.task);
      return { status: 202, body: task, headers: { location: taskPath(task.id), ...replayed, ...NO_STORE } };
    },
  });
}

function keyOf(header: string | undefined): string {
  const key = header === undefined ? undefined : readKey(header);
  if (key !== undefined) return key;
  throw new Problem("idempotency-key-missing", {
    detail:
      "cannot make a task without an Idempotency-Key: send one that is new for each task, and the same with each repetition",
  });
}

function list({ tasks }: TaskRoutesDeps): Route {
  return route({
    method: "GET",
    path: "/v1/tasks",
    id: "listTasks",
    summary: "The tasks of the namespace, page by page.",
    access: { verb: "list", resource: "generationtasks" },
    query: ListQuery,
    replies: [{ status: 200, description: "A page.", schema: TaskList }],
    problems: [],
    handle: async ({ caller: { namespace }, query, signal }) => {
      const { limit, pageToken, phase, provider } = query;
      const page = await tasks.list({ namespace, limit, pageToken, phase, provider }, signal);
      const { nextPageToken } = page;
      return {
        status: 200,
        body: { tasks: page.items.map(viewOf), ...(nextPageToken && { nextPageToken }) },
        headers: NO_STORE,
      };
    },
  });
}

function read({ tasks }: TaskRoutesDeps): Route {
  return route({
    method: "GET",
    path: "/v1/tasks/{id}",
    id: "getTask",
    summary: "A task as it stands.",
    access: { verb: "get", resource: "generationtasks" },
    params: TaskParams,
    replies: [{ status: 200, description: "The task.", schema: TaskReply }],
    problems: ["not-found"],
    handle: async ({ caller: { namespace }, params, signal }) => {
      const task = await tasks.get(namespace, params.id, signal);
      return { status: 200, body: viewOf(task), headers: NO_STORE };
    },
  });
}

function remove({ tasks }: TaskRoutesDeps): Route {
  return route({
    method: "DELETE",
    path: "/v1/tasks/{id}",
    id: "deleteTask",
    summary: "Delete a task. It goes when its money is settled; by its deletionPolicy the provider is asked to cancel.",
    access: { verb: "delete", resource: "generationtasks" },
    params: TaskParams,
    replies: [{ status: 202, description: "The task is being deleted, or gone." }],
    problems: ["not-found", "refused-by-cluster"],
    handle: async ({ caller: { namespace }, params, signal }) => {
      await tasks.remove(namespace, params.id, signal);
      return { status: 202 };
    },
  });
}
