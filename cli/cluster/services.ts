// The two services beside the API server: evidence (what the database knows) and the REST face (signed URLs of assets). They are
// reached through the API server's proxy, or at a URL. They want to know who asks, and the proxy does not tell them: so a token goes
// along, the user's own or one that is made for this call from a service account.
import { request as requestUrl } from "undici";
import { PROXIED_HEADER } from "../../operator/access/bearer.ts";
import { Failure } from "../failure.ts";
import { ApiError, messageIn, textOf, type Cluster } from "./client.ts";

export interface ServicePlaces {
  /** `namespace/[https:]name:port`, or a URL. */
  readonly evidence: string;
  readonly rest: string;
  /** A service account, of the namespace in question, to ask as. */
  readonly account: string | undefined;
}

export interface Services {
  /** What the evidence service answers. Throws ApiError. */
  evidence(namespace: string, path: string, signal: AbortSignal): Promise<unknown>;
  /** Where an asset can be read. Throws ApiError. */
  assetUrl(namespace: string, task: string, asset: string, signal: AbortSignal): Promise<string>;
}

const TOKEN_SECONDS = 600;
const ANSWER_MS = 15_000;
const SERVICE = /^([a-z0-9][-a-z0-9]{0,62})\/((?:https:|http:)?[a-z0-9][-a-z0-9]{0,62}:[a-z0-9][-a-z0-9]{0,62})$/;

interface Asked {
  readonly place: string;
  readonly path: string;
  readonly namespace: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function makeServices(cluster: Cluster, places: ServicePlaces): Services {
  async function tokenFor(namespace: string, signal: AbortSignal): Promise<string> {
    if (places.account !== undefined) return accountToken(cluster, `${namespace}/${places.account}`, signal);
    const token = await cluster.token(signal);
    if (token !== undefined) return token;
    throw new ApiError(
      401,
      "your kubeconfig has no token (a client certificate says nothing there); name a service account of the namespace with --account",
    );
  }

  async function ask({ headers, namespace, path, place }: Asked, signal: AbortSignal): Promise<unknown> {
    const bearer = `Bearer ${await tokenFor(namespace, signal)}`;
    if (/^https?:/.test(place))
      return askUrl(`${place.replace(/\/+$/, "")}${path}`, { ...headers, authorization: bearer }, signal);
    const [, home, service] = SERVICE.exec(place) ?? [];
    if (home === undefined || service === undefined) {
      throw new Failure(
        `cannot reach the service "${place}": write namespace/name:port, namespace/https:name:port or a URL`,
      );
    }
    const [pathname = "", query] = path.split("?");
    const call = {
      path: `/api/v1/namespaces/${home}/services/${service}/proxy${pathname}`,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { ...headers, [PROXIED_HEADER]: bearer },
    };
    return cluster.call(call, signal);
  }

  return {
    evidence: (namespace, path, signal) => ask({ place: places.evidence, path, namespace }, signal),
    assetUrl: async (namespace, task, asset, signal) => {
      const path = `/v1/tasks/${encodeURIComponent(task)}/assets/${encodeURIComponent(asset)}`;
      const asked = { place: places.rest, path, namespace, headers: { "x-genop-namespace": namespace } };
      const found = await ask(asked, signal).catch((error: unknown) => {
        if (error instanceof ApiError && error.location !== undefined) return error.location;
        throw error;
      });
      if (typeof found !== "string") throw new ApiError(0, "the REST face did not answer with an address");
      return found;
    },
  };
}

/** For ten minutes, and with the account's rights alone: a token that is worth little to whoever gets hold of it. */
async function accountToken(cluster: Cluster, account: string, signal: AbortSignal): Promise<string> {
  const [namespace = "", name = ""] = account.split("/");
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${encodeURIComponent(name)}/token`;
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const answer = (await cluster.call({ method: "POST", path, body }, signal)) as {
    readonly status?: { readonly token?: unknown };
  };
  if (typeof answer.status?.token !== "string") throw new ApiError(0, "the API server made no token");
  return answer.status.token;
}

async function askUrl(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<unknown> {
  assertSafe(url);
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const { body, headers: answered, statusCode } = await requestUrl(url, { headers, signal: bounded });
    const text = await textOf(body);
    if (statusCode < 300) return JSON.parse(text) as unknown;
    const location = typeof answered.location === "string" ? answered.location : undefined;
    throw new ApiError(statusCode, messageIn(text) ?? `the service answered ${statusCode}`, location);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) throw new ApiError(0, "the service's answer cannot be read");
    throw error instanceof ApiError ? error : new ApiError(0, "the service cannot be reached");
  }
}

/** A token goes along, so nothing but TLS, or this machine itself. */
function assertSafe(url: string): void {
  const { hostname, protocol } = new URL(url);
  if (protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]") return;
  throw new Failure("cannot send a token in clear: use https, or a port-forward to 127.0.0.1");
}
