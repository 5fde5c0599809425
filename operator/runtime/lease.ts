// One Lease of coordination.k8s.io/v1: what it says, and how it is taken, renewed and given back, each as one
// conditional write. Does not decide when.
import { isAlreadyExists, isConflict } from "./errors.ts";
import type { KubeObject, ResourceKind } from "./objects.ts";
import { makeResource } from "./resources.ts";
import type { CallOptions, Transport } from "./transport.ts";

export const LEASES: ResourceKind = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  namespaced: true,
};

export interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number | null;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number | null;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseClaim {
  readonly identity: string;
  readonly leaseMs: number;
  readonly date: Date;
}

export interface LeaseClient {
  get(options: CallOptions): Promise<Lease | undefined>;
  /** Writes the claim over `lease` as it was read (or creates it). Undefined: somebody else was faster. */
  claim(lease: Lease | undefined, claim: LeaseClaim, options: CallOptions): Promise<Lease | undefined>;
  /** Empties the lease as it was read. Undefined: it has changed since. */
  release(lease: Lease, date: Date, options: CallOptions): Promise<Lease | undefined>;
}

/** Somebody who watches leases. */
export interface LeaseSights {
  /** Calls the listener with what there is of this name, and with each change. */
  onLease(name: string, listener: (lease: Lease) => void): void;
}

export interface LeasePlace {
  readonly namespace: string;
  readonly name: string;
  /** Written with each claim, so that a watch finds the lease by them. */
  readonly labels?: Readonly<Record<string, string>>;
}

export function makeLeaseClient(transport: Transport, place: LeasePlace): LeaseClient {
  const leases = makeResource<Lease>(transport, LEASES);
  const { namespace, name, labels } = place;
  const labelled = (metadata: Lease["metadata"]): Lease["metadata"] =>
    labels ? { ...metadata, labels: { ...metadata.labels, ...labels } } : metadata;
  return {
    get: (options) => leases.get(`${namespace}/${name}`, options),
    claim: (lease, claim, options) => {
      const spec = specOf(lease, claim);
      const written = lease
        ? leases.replace({ ...lease, metadata: labelled(lease.metadata), spec }, options)
        : leases.create({ ...KIND, metadata: labelled({ namespace, name }), spec }, options);
      return written.catch(undefinedIfOvertaken);
    },
    release: (lease, date, options) => {
      const now = microTime(date);
      const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
      return leases.replace({ ...lease, spec }, options).catch(undefinedIfOvertaken);
    },
  };
}

const KIND = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };

/** MicroTime: the API server refuses any other number of digits than six. */
export function microTime(date: Date): string {
  return date.toISOString().replace(/(\.\d{3})Z$/, "$1000Z");
}

/** Who holds it; "" when nobody does. */
export function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? "";
}

/** A new holder begins a new term; a renewal keeps it. */
function specOf(lease: Lease | undefined, { identity, leaseMs, date }: LeaseClaim): LeaseSpec {
  const old = lease?.spec;
  const now = microTime(date);
  const isRenewal = holderOf(lease) === identity;
  const transitions = old?.leaseTransitions ?? 0;
  return {
    ...old,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    renewTime: now,
    acquireTime: isRenewal ? (old?.acquireTime ?? now) : now,
    leaseTransitions: isRenewal || !lease ? transitions : transitions + 1,
  };
}

function undefinedIfOvertaken(error: unknown): undefined {
  if (!isConflict(error) && !isAlreadyExists(error)) throw error;
  return undefined;
}
