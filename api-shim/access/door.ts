// The way in: from the headers of a request to a caller who may do what he asks in one namespace, or a problem. A stranger
// learns nothing: the answer is the same whether a namespace or an object exists or not.
import type { IncomingHttpHeaders } from "node:http";
import { KubeError } from "../../operator/runtime/errors.ts";
import { Problem } from "../problems.ts";
import { bearerOf } from "../../operator/access/bearer.ts";
import { namespaceOf, type Identity, type Tokens } from "../../operator/access/tokens.ts";
import type { Action, Permissions } from "../../operator/access/permissions.ts";
import type { Rate } from "../../operator/runtime/rate.ts";

export interface Caller {
  readonly identity: Identity;
  readonly namespace: string;
}

export interface Door {
  /** Throws Problem. `name`: of the one object that is meant. */
  readonly admit: (headers: IncomingHttpHeaders, action: Action, name: string | undefined) => Promise<Caller>;
}

export const NAMESPACE_HEADER = "x-genop-namespace";

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export interface DoorDeps {
  readonly tokens: Tokens;
  readonly permissions: Permissions;
  /** By namespace; only who may do there what he asks uses it up. */
  readonly rate: Rate;
}

export function makeDoor({ permissions, rate, tokens }: DoorDeps): Door {
  async function identified(headers: IncomingHttpHeaders): Promise<Identity> {
    const token = bearerOf(headers);
    if (token === undefined) throw unauthenticated("send Authorization: Bearer with a token of the cluster");
    const identity = await tokens.identityOf(token).catch(unavailable);
    if (identity === "later") {
      throw new Problem("overloaded", {
        detail: "cannot look at the token: too many unknown tokens came at once; try again",
        retryAfterSeconds: 1,
      });
    }
    if (identity === undefined)
      throw unauthenticated("the token is expired, revoked, or for somebody else; get a new one");
    return identity;
  }

  return {
    admit: async (headers, action, name) => {
      const identity = await identified(headers);
      const namespace = namespaceAsked(headers, identity);
      const allowed = await permissions.isAllowed(identity, action, { namespace, name }).catch(unavailable);
      if (!allowed) {
        throw new Problem("forbidden", {
          detail: `cannot ${action.verb} ${action.resource} there: ask for a Role in that namespace with this verb`,
        });
      }
      const retryAfterSeconds = rate.take(namespace);
      if (retryAfterSeconds === 0) return { identity, namespace };
      throw new Problem("too-many-requests", {
        detail: "cannot answer now: this namespace asks more often than it may; try again",
        retryAfterSeconds,
      });
    },
  };
}

function namespaceAsked(headers: IncomingHttpHeaders, identity: Identity): string {
  const asked = headers[NAMESPACE_HEADER];
  const namespace = asked ?? namespaceOf(identity);
  if (namespace === undefined) {
    throw new Problem("namespace-missing", {
      detail: "cannot tell the namespace: the token is no service account's; send X-Genop-Namespace",
    });
  }
  if (typeof namespace !== "string" || !NAMESPACE.test(namespace)) {
    throw new Problem("invalid-request", {
      detail: "cannot use X-Genop-Namespace: write one name of at most 63 lower-case letters, digits and '-'",
    });
  }
  return namespace;
}

function unauthenticated(why: string): Problem {
  return new Problem("unauthenticated", {
    detail: `cannot tell who asks: ${why}`,
    headers: { "www-authenticate": 'Bearer realm="genop"' },
  });
}

function unavailable(error: unknown): never {
  if (!(error instanceof KubeError) && !(error instanceof DOMException)) throw error;
  throw clusterUnavailable(error);
}

/** Whatever the API server did instead of answering. */
export function clusterUnavailable(cause: unknown): Problem {
  return new Problem(
    "cluster-unavailable",
    { detail: "cannot ask the Kubernetes API: it does not answer; try again", retryAfterSeconds: 2 },
    cause,
  );
}
