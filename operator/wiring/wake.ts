// Who must look again when something changes that no watch of the task itself tells.
import { readGrantStatus, type WireGrant } from "../kube/grant-object.ts";
import { objectKeyOf, type CachedTask } from "../kube/kept-task.ts";
import { systemClock, type Clock } from "../runtime/clock.ts";
import type { Controller } from "../runtime/controller.ts";
import type { Reflector } from "../runtime/reflector.ts";
import { inSlices } from "../runtime/slices.ts";
import { isFinal } from "../task/phase.ts";

export interface Wake {
  /** Their quota, settings or credential changed: in one walk, however many they are. */
  tasksOfProviders(providers: readonly string[]): void;
  /** Credits arrived. */
  tasksOfNamespace(namespace: string): void;
  /** Budgets changed. */
  allTasks(): void;
}

/** Only tasks that have not ended; whoever need not have been woken finds nothing to do. */
export function makeWake(
  tasks: () => readonly CachedTask[],
  controller: Pick<Controller, "enqueue">,
  clock: Clock = systemClock,
): Wake {
  const wake = (concerned: (task: CachedTask) => boolean): void => {
    void inSlices(tasks(), clock, (task) => {
      const isReadable = task.provider !== undefined;
      if (isReadable && concerned(task) && !isOver(task)) controller.enqueue(objectKeyOf(task.metadata));
    });
  };
  return {
    tasksOfProviders: (providers) => {
      const changed = new Set(providers);
      wake(({ provider }) => provider !== undefined && changed.has(provider));
    },
    allTasks: () => wake(() => true),
    tasksOfNamespace: (namespace) => wake(({ metadata }) => metadata.namespace === namespace),
  };
}

/** Credits arrived, whoever booked them: its status says so. */
export function wakeOnGrants(grants: Pick<Reflector<WireGrant>, "onChange">, wake: Wake): void {
  grants.onChange((_, next, previous, { initial }) => {
    const isNews = !initial && readGrantStatus(previous?.status).applied !== true;
    if (isNews && readGrantStatus(next?.status).applied === true) wake.tasksOfNamespace(next?.metadata.namespace ?? "");
  });
}

function isOver({ phase, provider }: CachedTask): boolean {
  return provider !== undefined && phase !== undefined && isFinal(phase);
}

/** All keys of ours, in the order in which a new leader should look at them: what has ended can wait. */
export function* unfinishedFirst(
  tasks: readonly CachedTask[],
  isOurs: (key: string) => boolean = () => true,
): Generator<string, void, undefined> {
  for (const isWanted of [(task: CachedTask) => !isOver(task), isOver]) {
    for (const task of tasks) {
      const key = isWanted(task) ? objectKeyOf(task.metadata) : undefined;
      if (key !== undefined && isOurs(key)) yield key;
    }
  }
}
