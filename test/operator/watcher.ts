// Sees the tasks of a cluster as a user's `kubectl get -w` would, so that a test waits for what happens and not for time.
import { loadKubeConfig } from "../../operator/kube/kubeconfig.ts";
import { TASKS } from "../../operator/kube/kinds.ts";
import { makeReflector } from "../../operator/runtime/reflector.ts";
import { makeTransport } from "../../operator/runtime/transport.ts";
import type { KubeObject } from "../../operator/runtime/objects.ts";
import { isFinal } from "../../operator/task/phase.ts";
import type { TaskStatus } from "../../operator/task/resource.ts";
import type { AttachedEnvironment } from "../env/attach.ts";

export interface SeenTask extends KubeObject {
  readonly status?: TaskStatus;
}

export interface TaskWatcher {
  all(): readonly SeenTask[];
  get(key: string): SeenTask | undefined;
  /** Every phase that a task was ever seen in, by `namespace/name`. */
  phasesSeen(key: string): ReadonlySet<string>;
  /** Resolves when the predicate holds; asked again at each change. Rejects on abort, with what is missing. */
  until(what: string, predicate: () => boolean, signal: AbortSignal): Promise<void>;
  /** Called at each change, and for what is there already; `undefined` when the task is gone. */
  onChange(listener: (key: string, task: SeenTask | undefined) => void): void;
  stop(): Promise<void>;
}

/** Whether nothing more happens to the task by itself: a final phase, or a person is waited for. */
export function isSettled({ status }: SeenTask): boolean {
  return status?.phase !== undefined && (isFinal(status.phase) || status.phase === "NeedsReview");
}

export async function watchTasks(environment: Pick<AttachedEnvironment, "kubeconfigPath">): Promise<TaskWatcher> {
  const transport = makeTransport({ kubeConfig: loadKubeConfig(environment.kubeconfigPath) });
  const reflector = makeReflector<SeenTask>({ transport, kind: TASKS });
  const phases = new Map<string, Set<string>>();
  const waiting = new Set<() => void>();
  reflector.onChange((key, next) => {
    const phase = next?.status?.phase;
    if (phase !== undefined) phases.set(key, (phases.get(key) ?? new Set<string>()).add(phase));
    for (const look of [...waiting]) look();
  });
  const ending = new AbortController();
  const running = reflector.run(ending.signal);
  await reflector.whenSynced(AbortSignal.timeout(30_000));
  return {
    all: () => reflector.list(),
    get: (key) => reflector.get(key),
    phasesSeen: (key) => phases.get(key) ?? new Set(),
    until: (what, predicate, signal) =>
      waitUntil({ waiting, what, predicate }, signal, () => describe(reflector.list())),
    onChange: (listener) => {
      reflector.onChange(listener);
    },
    stop: async () => {
      ending.abort();
      await running;
      await transport.close();
    },
  };
}

interface Wait {
  readonly waiting: Set<() => void>;
  readonly what: string;
  readonly predicate: () => boolean;
}

function waitUntil({ predicate, waiting, what }: Wait, signal: AbortSignal, state: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!predicate()) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    const give = (): void => {
      waiting.delete(look);
      reject(new Error(`waited in vain for ${what}: ${state()}`));
    };
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
    look();
  });
}

/** Counts by phase and reason, and a few names of each that is not settled. */
function describe(tasks: readonly SeenTask[]): string {
  const groups = new Map<string, string[]>();
  for (const task of tasks) {
    const group = `${task.status?.phase ?? "none"}/${task.status?.reason ?? "none"}`;
    groups.set(group, [...(groups.get(group) ?? []), task.metadata.name]);
  }
  return [...groups].map(([group, names]) => `${group} ${names.length} (${names.slice(0, 3).join(", ")})`).join("; ");
}
