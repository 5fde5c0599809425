// Who a bearer token belongs to, as the API server says (TokenReview). Tokens are kept nowhere, only their hashes, for seconds.
import { sha256 } from "../kube/canonical.ts";
import type { Clock } from "../runtime/clock.ts";
import { makeRate } from "../runtime/rate.ts";
import type { Transport } from "../runtime/transport.ts";
import { z } from "zod";
import { makeShortMemory } from "./short-memory.ts";

/** As the API server knows the caller; handed back to it with each question what the caller may do. */
export interface Identity {
  readonly username: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface Tokens {
  /** Undefined when the token is nobody's; "later" when too many unknown tokens come at once. Throws KubeError. */
  identityOf(token: string): Promise<Identity | undefined | "later">;
}

export interface TokensDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  /** The audiences that a token may be for; the API server's own when empty. */
  readonly audiences: readonly string[];
}

const KEEP_MS = 10_000;
const KEEP_REFUSED_MS = 5_000;
const MAX_KEPT = 10_000;
const ASK_MS = 5_000;
/** A stranger who tries tokens is our load on the API server: it has a limit. */
const REVIEWS = { perSecond: 100, burst: 200, maxNames: 1 };

const Review = z.looseObject({
  status: z.looseObject({
    authenticated: z.boolean().default(false),
    user: z
      .looseObject({
        username: z.string().default(""), // of a token that is nobody's
        uid: z.string().optional(),
        groups: z.array(z.string()).default([]),
        extra: z.record(z.string(), z.array(z.string())).default({}),
      })
      .optional(),
  }),
});

export function makeTokens({ transport, clock, audiences }: TokensDeps): Tokens {
  const rate = makeRate(clock, REVIEWS);
  const memory = makeShortMemory<Identity | undefined | "later">({
    clock,
    keepMs: (answer) => (answer === "later" ? 0 : answer === undefined ? KEEP_REFUSED_MS : KEEP_MS),
    maxKept: MAX_KEPT,
  });

  // With a limit of its own and not the caller's signal: others may wait for the same answer.
  async function review(token: string): Promise<Identity | undefined | "later"> {
    if (rate.take("reviews") > 0) return "later";
    const answer = await transport.request(
      {
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/tokenreviews",
        body: {
          apiVersion: "authentication.k8s.io/v1",
          kind: "TokenReview",
          spec: { token, ...(audiences.length > 0 && { audiences }) },
        },
      },
      { signal: AbortSignal.timeout(ASK_MS), timeoutMs: ASK_MS },
    );
    const { authenticated, user } = Review.parse(answer).status;
    if (!authenticated || user === undefined || user.username === "") return undefined;
    return { username: user.username, uid: user.uid, groups: user.groups, extra: user.extra };
  }

  return {
    identityOf: (token) => memory.get(sha256(token), () => review(token)),
  };
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([a-z0-9-]+):[a-z0-9.-]+$/;

/** The namespace that a service account lives in. */
export function namespaceOf({ username }: Identity): string | undefined {
  return SERVICE_ACCOUNT.exec(username)?.[1];
}
