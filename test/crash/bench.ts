// What the laboratory reaches into: the objects, the provider's own record, the books, and the door that webhooks come in by.
import type { Pool } from "pg";
import type { Resource } from "../../operator/runtime/resources.ts";
import type { SeenTask, TaskWatcher } from "../operator/watcher.ts";
import type { ProviderAdmin } from "../provider/client.ts";

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export interface Bench {
  readonly tasks: Resource<SeenTask>;
  readonly watcher: TaskWatcher;
  readonly provider: ProviderAdmin;
  /** As the operator's own role. */
  readonly books: Pool;
  /** As a role that may hand in webhooks. */
  readonly receiver: Pool;
}

export const keyOf = ({ name, namespace }: Place): string => `${namespace}/${name}`;

/** The attempts of a task, in SQL: $1 is its namespace and $2 its name. */
export const ATTEMPTS = `
  (select attempt.* from genop.attempts attempt join genop.tasks task on task.key = attempt.task_key
    where task.namespace = $1 and task.name = $2)`;
