// The routes that change a task: each writes one field that may change, and the operator acts on it.
import type { Tasks } from "../tasks/tasks.ts";
import { viewOf } from "../tasks/view.ts";
import { route, type Route } from "./route.ts";
import { NO_STORE, TaskParams, TaskReply, taskPath } from "./schemas.ts";

const CHANGES = [
  {
    name: "cancel",
    spec: { cancelRequested: true },
    summary: "Ask the provider to cancel; a finished job stays paid.",
  },
  { name: "suspend", spec: { suspend: true }, summary: "Start nothing new; what runs goes on." },
  { name: "resume", spec: { suspend: false }, summary: "The end of suspend." },
] as const;

export function changeRoutes({ tasks }: { readonly tasks: Tasks }): readonly Route[] {
  return CHANGES.map(({ name, spec, summary }) =>
    route({
      method: "POST",
      path: `/v1/tasks/{id}/${name}`,
      id: `${name}Task`,
      summary,
      access: { verb: "patch", resource: "generationtasks" },
      params: TaskParams,
      replies: [{ status: 202, description: "It is written down; the operator acts on it.", schema: TaskReply }],
      problems: ["not-found", "conflict", "invalid-body", "refused-by-cluster"],
      handle: async ({ caller: { namespace }, params, signal }) => {
        const task = await tasks.change(namespace, params.id, spec, signal);
        return { status: 202, body: viewOf(task), headers: { location: taskPath(params.id), ...NO_STORE } };
      },
    }),
  );
}
