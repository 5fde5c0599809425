// A CreditGrant as the API server sends it, read into an amount and a lasting identity.
import { apiVersionOf, type KubeObject } from "../runtime/objects.ts";
import type { MicroCredits } from "../task/brand.ts";
import { parseCredits } from "../task/credits.ts";
import { GrantSpec, GrantStatus } from "../task/grant-resource.ts";
import { GRANTS } from "./kinds.ts";
import { sentenceOf } from "./problems.ts";
import { slimMeta } from "./task-object.ts";

/**
 * `namespace/name/uid` of the object that the grant was first applied as. An object that is restored from a backup has
 * a new UID and keeps this annotation, so that its credits are not granted again. One copied under another name or into
 * another namespace has a foreign value, and is a grant of its own.
 */
export const GRANT_KEY_ANNOTATION = "genop.dev/grant-key";

export interface WireGrant extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

export type GrantRead =
  | {
      readonly outcome: "read";
      readonly amount: MicroCredits;
      readonly reason: string;
      readonly refund: GrantSpec["refund"];
    }
  | { readonly outcome: "unreadable"; readonly message: string };

export function readGrant(object: WireGrant): GrantRead {
  const spec = GrantSpec.safeParse(object.spec);
  if (!spec.success) {
    return { outcome: "unreadable", message: sentenceOf(spec.error, { what: "read the grant", root: "spec" }) };
  }
  const amount = parseCredits(spec.data.credits);
  if (amount === undefined || amount <= 0n) {
    return { outcome: "unreadable", message: "cannot read the grant: spec.credits must be more than zero" };
  }
  return { outcome: "read", amount, reason: spec.data.reason, refund: spec.data.refund };
}

/** The UID under which the grant is booked; undefined while it is not pinned. */
export function grantUid({ metadata }: WireGrant): string | undefined {
  const [namespace, name, uid] = metadata.annotations?.[GRANT_KEY_ANNOTATION]?.split("/") ?? [];
  return namespace === metadata.namespace && name === metadata.name && uid ? uid : undefined;
}

/** The status, or an empty one when it is none of ours. */
export function readGrantStatus(status: unknown): GrantStatus {
  return GrantStatus.safeParse(status ?? {}).success ? (status ?? {}) : {};
}

/** The transform of the cache. */
export function slimGrant(object: WireGrant): WireGrant {
  return { ...object, apiVersion: apiVersionOf(GRANTS), kind: "CreditGrant", metadata: slimMeta(object.metadata) };
}
