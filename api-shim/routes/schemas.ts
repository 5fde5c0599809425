// What several routes say and take.
import { z } from "zod";
import { matching } from "../../operator/task/rule.ts";
import { nameField, MAX_NAME_LENGTH } from "../../operator/task/fields.ts";
import { TaskView } from "../tasks/view.ts";

export const TaskId = nameField(MAX_NAME_LENGTH).describe("The id of a task.");
export const TaskParams = z.strictObject({ id: TaskId });

export const AssetParams = z.strictObject({
  id: TaskId,
  name: matching(z.string().min(1).max(64), /^[A-Za-z0-9._-]+$/, "cannot be the name of an asset").describe(
    "As in the task's assets.",
  ),
});

/** Never from a cache: what it shows changes by itself. */
export const NO_STORE = { "cache-control": "no-store" } as const;

export const TaskReply = z.strictObject({ ...TaskView.shape }).meta({ id: "Task" });

export function taskPath(id: string): string {
  return `/v1/tasks/${id}`;
}
