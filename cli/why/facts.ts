// Everything known of one task, gathered at once: what cannot be had is said to be absent, with the reason, and stops nothing.
import { z } from "zod";
import type { ResourceKind } from "../../operator/runtime/objects.ts";
import { ApiError } from "../cluster/client.ts";
import { PROVIDERS, SeenEvent, SeenProvider, type SeenTask } from "../cluster/kinds.ts";
import { getObject, listObjects } from "../cluster/objects.ts";
import { readTask } from "../commands/tasks.ts";
import type { Session } from "../session.ts";
import { Account, Evidence } from "./evidence.ts";

/** Why something is not here. */
export interface Absent {
  readonly absent: string;
}

export interface Facts {
  readonly task: SeenTask;
  readonly events: readonly SeenEvent[] | Absent;
  readonly provider: SeenProvider | Absent;
  readonly evidence: Evidence | Absent;
  readonly account: Account | Absent;
  readonly now: Date;
}

const UNREADABLE = "the service's answer cannot be read; is this plugin older than the operator?";

export function isAbsent(fact: object): fact is Absent {
  return "absent" in fact;
}

const EVENTS: ResourceKind = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };

/** Throws Failure when the task itself can't be read. */
export async function gatherFacts(session: Session, name: string): Promise<Facts> {
  const { cluster, namespace, services, signal } = session;
  const root = `/v1/namespaces/${namespace}`;
  const task = await readTask(session, name, `explain ${namespace}/${name}`);
  const { uid } = task.metadata;
  const provider = task.spec.providerRef?.name;
  const [events, found, evidence, account] = await Promise.all([
    orAbsent(listObjects(cluster, EVENTS, { namespace, fieldSelector: `regarding.uid=${uid}` }, signal), ({ items }) =>
      items.map((item) => SeenEvent.parse(item)).sort((one, other) => timeOf(one) - timeOf(other)),
    ),
    provider === undefined
      ? { absent: "the task names none" }
      : orAbsent(getObject(cluster, PROVIDERS, { name: provider }, signal), (object) => SeenProvider.parse(object)),
    orAbsent(services.evidence(namespace, `${root}/tasks/${name}`, signal), (told) => Evidence.parse(told)),
    orAbsent(services.evidence(namespace, `${root}/account?lines=1`, signal), (told) => Account.parse(told)),
  ]);
  return { task, events, provider: found, evidence: ofThis(evidence, uid), account, now: session.now() };
}

/** A record of an older object of this name is not this task's. */
function ofThis(evidence: Evidence | Absent, uid: string): Evidence | Absent {
  if (isAbsent(evidence) || evidence.task.uid === undefined || evidence.task.uid === uid) return evidence;
  return { absent: "the database has a record of an earlier object of this name only" };
}

/** A service that refuses, or answers in another shape than is known here, is a fact that is absent. */
export async function orAbsent<Value, Fact>(
  value: Promise<Value>,
  read: (value: Value) => Fact,
): Promise<Fact | Absent> {
  try {
    return read(await value);
  } catch (error) {
    if (error instanceof ApiError) return { absent: error.message };
    if (error instanceof z.ZodError) return { absent: UNREADABLE };
    throw error;
  }
}

/** When it was last seen, in milliseconds. */
export function timeOf({ deprecatedLastTimestamp, eventTime, series }: SeenEvent): number {
  const text = series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime;
  return text ? Date.parse(text) : 0;
}
