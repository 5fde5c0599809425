// Reads all that a decision may look at. Reads only: no branch here changes anything.
import type { TaskKey } from "../task/brand.ts";
import type { Facts } from "../task/facts.ts";
import type { Observation } from "../task/observation.ts";
import type { Task, UnreadableTask } from "../task/task.ts";
import { keyOf } from "./next.ts";
import type { Deps } from "./ports.ts";

/** What the books said together with this pass's own last mark: while the key is the same they need not be asked again. */
export interface Known {
  readonly key: TaskKey;
  readonly facts: Facts;
}

/** Undefined: the object does not exist, and nothing is left to do for it. */
export async function gather(
  deps: Deps,
  objectKey: string,
  known: Known | undefined,
  signal: AbortSignal,
): Promise<Observation | UnreadableTask | undefined> {
  const task = deps.tasks.get(objectKey);
  if (task === undefined || "message" in task) return task;

  const key = keyOf(task);
  const facts = known?.key === key ? known.facts : await deps.books.load(key, signal);
  const [ownerExists, inputProblem] = await Promise.all([
    findOwner(deps, task, facts, signal),
    findInputProblem(deps, task, facts, signal),
  ]);
  const provider = deps.providers.see(task.spec.providerRef.name, task.namespace);
  const neverSent = facts.attempt?.state === "sent" && deps.unsent.has(facts.attempt.id);
  return { ...facts, task, provider, ownerExists, inputProblem, neverSent, policy: deps.policy };
}

/** Asked of the API server itself, and only when the record names another object. */
async function findOwner(deps: Deps, task: Task, { record }: Facts, signal: AbortSignal): Promise<boolean> {
  if (!record || record.uid === task.uid) return true;
  return deps.tasks.exists(record.namespace, record.name, record.uid, signal);
}

async function findInputProblem(
  deps: Deps,
  task: Task,
  { attempt }: Facts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const submitAhead = attempt === undefined || attempt.state === "intended" || attempt.state === "ended";
  if (!submitAhead || !task.spec.inputFrom?.length) return undefined;
  const input = await deps.tasks.input(task, signal);
  return input.outcome === "unavailable" ? input.message : undefined;
}
