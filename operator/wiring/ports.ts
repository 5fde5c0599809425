// What a pass works with: what the whole process shares, and what belongs to one term of leadership.
import type { Pool } from "pg";
import type { ArtifactStore } from "../artifacts/artifacts.ts";
import type { Config } from "../config.ts";
import type { Caches } from "../kube/caches.ts";
import { SECRETS, TASKS } from "../kube/kinds.ts";
import type { LiveQuotas } from "../kube/quota.ts";
import { makeSecrets } from "../kube/secrets.ts";
import { makeTasks } from "../kube/tasks.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { makeBooks } from "../postgres/books.ts";
import type { Fence } from "../postgres/fence.ts";
import { makeLateBooks } from "../postgres/late.ts";
import type { LateDeps } from "../reconcile/late-job.ts";
import type { Deps, LateBooks } from "../reconcile/ports.ts";
import { makeUnsent } from "../reconcile/unsent.ts";
import { sleep, systemClock } from "../runtime/clock.ts";
import type { Recorder } from "../runtime/recorder.ts";
import { makeResource } from "../runtime/resources.ts";
import type { Transport } from "../runtime/transport.ts";
import { makeJournal } from "./journal.ts";
import { providerOf } from "./late.ts";
import { countingBooks } from "./meters.ts";
import type { ProviderBridge } from "./provider-bridge.ts";
import { makeSlots } from "./slots.ts";

export interface PortsDeps {
  readonly config: Config;
  readonly transport: Transport;
  readonly caches: Caches;
  readonly recorder: Recorder;
  readonly quotas: LiveQuotas;
  readonly providers: ProviderBridge;
  readonly artifacts: ArtifactStore;
  readonly pool: Pool;
  readonly submitLimit: (provider: string) => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Between the work of a term and its ports; a test stops the process there. As it is, unless told. */
  readonly decorate?: ((ports: TermPorts) => TermPorts) | undefined;
}

export interface TermPorts {
  /** Of a pass over a task. */
  readonly pass: Deps;
  /** Of the searches that go on after the end, and of a visit to one of them. */
  readonly late: LateDeps & Pick<Deps, "pause">;
}

export type PortsOf = (fence: Fence) => TermPorts;

/** `mayWrite`: whether the task of this key is still ours to write. Makes the ports of a term. All that is not of a term is the same for all of them, in all shards. */
export function makePorts({ mayWrite, ...deps }: PortsDeps & { readonly mayWrite: (key: string) => boolean }): PortsOf {
  const { caches, config, log, metrics, recorder, transport } = deps;
  const { decorate = (undecorated: TermPorts): TermPorts => undecorated } = deps;
  const secrets = makeSecrets({ resource: makeResource(transport, SECRETS), clock: systemClock });
  const shared = {
    tasks: makeTasks({ cache: caches.tasks, resource: makeResource(transport, TASKS, mayWrite), secrets, recorder }),
    quotas: deps.quotas,
    providers: deps.providers,
    artifacts: deps.artifacts,
    slots: makeSlots({ submit: deps.submitLimit, fetch: config.FETCH_CONCURRENCY }),
    journal: makeJournal(log, metrics),
    policy: {
      deletionGraceMs: config.DELETION_GRACE_SECONDS * 1000,
      providerGraceMs: config.PROVIDER_GRACE_SECONDS * 1000,
      slaClasses: config.SLA_CLASSES,
    },
    pause: (ms: number, signal: AbortSignal) => sleep(systemClock, ms, signal),
    random: Math.random,
  };
  // That nothing was sent for a mark is known for one term: when the shard comes back, another may have sent meanwhile.
  return (fence) => {
    const books = countingBooks(makeBooks(deps.pool, fence), metrics);
    const pass: Deps = { ...shared, books, unsent: makeUnsent() };
    return decorate({ pass, late: latePorts(pass, makeLateBooks(deps.pool, fence)) });
  };
}

function latePorts(
  { artifacts, journal, pause, providers, random, slots, tasks }: Deps,
  books: LateBooks,
): TermPorts["late"] {
  return { artifacts, books, journal, pause, random, slots, tasks, provider: providerOf(providers) };
}
