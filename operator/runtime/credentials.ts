// How to reach the API server and who we are, read from a KubeConfig: files again and again, because they rotate.
// Knows nothing of requests.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import type { KubeConfig, User } from "@kubernetes/client-node";
import { withPlugin } from "./exec-plugin.ts";

export interface TlsSettings {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface Credentials {
  readonly origin: string;
  /** What the server's URL has before /api, without a slash at its end. */
  readonly prefix: string;
  readonly proxyUrl: string | undefined;
  readonly tls: TlsSettings;
  readonly headers: Readonly<Record<string, string>>;
  /** Differs when connections made with older credentials must not be used for new calls. */
  readonly digest: string;
}

/** Reads the current context of the configuration. Throws when it names no cluster, a file is missing or a plugin fails, or the signal's reason. */
export async function readCredentials(kubeConfig: KubeConfig, signal: AbortSignal): Promise<Credentials> {
  const cluster = kubeConfig.getCurrentCluster();
  if (!cluster) throw new Error("cannot reach the API server: the kubeconfig has no current cluster");

  const options: RequestOptions = {};
  // Certificates, exec plugins, OIDC; its own agent is never used.
  await withPlugin(() => kubeConfig.applyToHTTPSOptions(options), signal);
  const headers = { ...headersOf(options), ...(await tokenOf(kubeConfig.getCurrentUser())) };
  const tls = tlsOf(options);
  const url = new URL(cluster.server);
  const proxyUrl = cluster.proxyUrl;

  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, ""),
    proxyUrl,
    tls,
    headers,
    digest: digestOf([url.origin, proxyUrl ?? "", tls]),
  };
}

// The library keeps a token for a minute after its file changed; a revoked one must be replaced at once.
async function tokenOf(user: User | null): Promise<Record<string, string>> {
  const provider: unknown = user?.authProvider;
  const file = fieldOf(fieldOf(provider, "config"), "tokenFile");
  if (typeof file !== "string") return {};
  const token = await readFile(file, "utf8");
  return { Authorization: `Bearer ${token.trim()}` };
}

function headersOf(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value !== undefined) headers[name] = String(value);
  }
  if (options.auth) headers.Authorization = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  return headers;
}

function tlsOf(options: RequestOptions): TlsSettings {
  const { servername, rejectUnauthorized } = options;
  return {
    ...pem("ca", options.ca),
    ...pem("cert", options.cert),
    ...pem("key", options.key),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}

function pem(name: "ca" | "cert" | "key", value: unknown): Partial<Record<"ca" | "cert" | "key", string | Buffer>> {
  return typeof value === "string" || Buffer.isBuffer(value) ? { [name]: value } : {};
}

function digestOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
