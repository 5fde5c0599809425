// Who must look again when something changes that no watch of the task itself tells.
import type { CachedTask } from "../kube/task-object.ts";
import { readGrantStatus, type WireGrant } from "../kube/grant-object.ts";
import type { Controller } from "../runtime/controller.ts";
import type { Reflector } from "../runtime/reflector.ts";
import { isFinal } from "../task/phase.ts";
import type { Task } from "../task/task.ts";

export interface Wake {
  /** Its quota, settings or credential changed. */
  tasksOfProvider(provider: string): void;
  /** Credits arrived. */
  tasksOfNamespace(namespace: string): void;
}

/** Only tasks that have not ended; whoever need not have been woken finds nothing to do. */
export function makeWake(tasks: () => readonly CachedTask[], controller: Pick<Controller, "enqueue">): Wake {
  const wake = (concerned: (task: Task) => boolean): void => {
    for (const { read } of tasks()) {
      if ("spec" in read && concerned(read) && !isOver(read)) controller.enqueue(read.objectKey);
    }
  };
  return {
    tasksOfProvider: (provider) => wake(({ spec }) => spec.providerRef.name === provider),
    tasksOfNamespace: (namespace) => wake((task) => task.namespace === namespace),
  };
}

/** Credits arrived, whoever booked them: its status says so. */
export function wakeOnGrants(grants: Pick<Reflector<WireGrant>, "onChange">, wake: Wake): void {
  grants.onChange((_, next, previous, { initial }) => {
    const isNews = !initial && readGrantStatus(previous?.status).applied !== true;
    if (isNews && readGrantStatus(next?.status).applied === true) wake.tasksOfNamespace(next?.metadata.namespace ?? "");
  });
}

function isOver({ reported }: Task): boolean {
  return reported.phase !== undefined && isFinal(reported.phase);
}

/** All keys, in the order in which a new leader should look at them: what has ended can wait. An order only, no filter. */
export function unfinishedFirst(tasks: readonly CachedTask[]): readonly string[] {
  const ended = (task: CachedTask): boolean => "spec" in task.read && isOver(task.read);
  return [...tasks.filter((task) => !ended(task)), ...tasks.filter(ended)].map(({ read }) => read.objectKey);
}
