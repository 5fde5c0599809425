// What a caller may do in a namespace, as the API server says (SubjectAccessReview). Who asks has no opinion of its own.
import { z } from "zod";
import { sha256 } from "../kube/canonical.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Transport } from "../runtime/transport.ts";
import { GROUP } from "../task/resource.ts";
import { makeShortMemory } from "./short-memory.ts";
import type { Identity } from "./tokens.ts";

/** A right as RBAC spells it. */
export interface Action {
  readonly verb: "create" | "delete" | "get" | "list" | "patch" | "watch";
  readonly resource: "creditgrants" | "generationtasks";
}

export interface Place {
  readonly namespace: string;
  /** Of the one object that is meant. */
  readonly name: string | undefined;
}

export interface Permissions {
  /** Throws KubeError when the API can't be asked: nothing is allowed then. */
  isAllowed(identity: Identity, action: Action, place: Place): Promise<boolean>;
}

const KEEP_MS = 10_000;
const KEEP_REFUSED_MS = 5_000;
const MAX_KEPT = 20_000;
const ASK_MS = 5_000;

const Review = z.looseObject({ status: z.looseObject({ allowed: z.boolean().default(false) }) });

export function makePermissions({
  transport,
  clock,
}: {
  readonly transport: Transport;
  readonly clock: Clock;
}): Permissions {
  const memory = makeShortMemory<boolean>({
    clock,
    keepMs: (allowed) => (allowed ? KEEP_MS : KEEP_REFUSED_MS),
    maxKept: MAX_KEPT,
  });

  async function review(identity: Identity, action: Action, { name, namespace }: Place): Promise<boolean> {
    const { extra, groups, uid, username } = identity;
    const answer = await transport.request(
      {
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        body: {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          spec: {
            user: username,
            groups,
            uid,
            extra,
            resourceAttributes: { group: GROUP, ...action, namespace, name },
          },
        },
      },
      { signal: AbortSignal.timeout(ASK_MS), timeoutMs: ASK_MS },
    );
    return Review.parse(answer).status.allowed;
  }

  const ask = (identity: Identity, action: Action, place: Place): Promise<boolean> =>
    memory.get(keyOf(identity, action, place), () => review(identity, action, place));

  return {
    // The whole namespace first: that is what most rights are for, and one answer then serves all of its objects.
    isAllowed: async (identity, action, { name, namespace }) =>
      (await ask(identity, action, { namespace, name: undefined })) ||
      (name !== undefined && (await ask(identity, action, { namespace, name }))),
  };
}

function keyOf({ extra, groups, uid, username }: Identity, { resource, verb }: Action, place: Place): string {
  return sha256(JSON.stringify([username, uid, groups, extra, resource, verb, place.namespace, place.name]));
}
