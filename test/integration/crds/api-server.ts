// A plain client of the API server, for tests of what it accepts: answers are values, refusals too.
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { KINDS } from "../../../crds/kinds.ts";
import { GROUP, VERSION } from "../../../operator/task/resource.ts";
import type { AttachedEnvironment } from "../../env/attach.ts";
import { kubectl } from "../../env/kubectl.ts";
import type { KubernetesDocument } from "../../unit/crds/documents.ts";

export interface StoredObject extends KubernetesDocument {
  readonly status?: unknown;
}

export type Answer =
  { readonly accepted: true; readonly object: StoredObject } | { readonly accepted: false; readonly message: string };

export interface ApiServer {
  /** Creates the object in this test's namespace; with `dryRun`, everything but keep it. */
  create(document: KubernetesDocument, options?: { readonly dryRun?: boolean }): Promise<Answer>;
  /** Replaces spec of an object that exists, and only if that is allowed: nothing is kept. */
  tryChange(object: StoredObject, spec: unknown): Promise<Answer>;
  setStatus(object: StoredObject, status: unknown): Promise<Answer>;
  remove(object: StoredObject): Promise<void>;
  close(): Promise<void>;
}

type Method = "POST" | "PUT" | "DELETE";
const DRY_RUN = "&dryRun=All";
const LIMIT_MS = 30_000;

/** Everything namespaced goes into `namespace`, whatever its document says. */
export function makeApiServer(environment: AttachedEnvironment, namespace: string): ApiServer {
  const dispatcher = new Agent({ connect: { ca: readFileSync(environment.caFile) } });

  const send = async (method: Method, path: string, body?: unknown): Promise<Answer> => {
    const response = await request(`${environment.apiServerUrl}${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${environment.adminToken}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const answer = (await response.body.json()) as StoredObject & { readonly message?: string };
    if (response.statusCode < 300) return { accepted: true, object: answer };
    return { accepted: false, message: answer.message ?? `status ${response.statusCode}` };
  };
  const strict = (path: string, dryRun = true): string => `${path}?fieldValidation=Strict${dryRun ? DRY_RUN : ""}`;

  return {
    create: (document, options = {}) =>
      send("POST", strict(collectionOf(document, namespace), options.dryRun ?? false), placed(document, namespace)),
    tryChange: (object, spec) => send("PUT", strict(pathOf(object, namespace)), { ...object, spec }),
    setStatus: (object, status) =>
      send("PUT", strict(`${pathOf(object, namespace)}/status`, false), { ...object, status }),
    remove: async (object) => {
      const answer = await send("DELETE", pathOf(object, namespace));
      if (!answer.accepted) throw new Error(answer.message);
    },
    close: () => dispatcher.close(),
  };
}

/** The message of a refusal. Throws when there was none. */
export function refusalOf(answer: Answer): string {
  if (answer.accepted) throw new Error(`expected a refusal, and it was accepted: ${JSON.stringify(answer.object)}`);
  return answer.message;
}

/** The object of what must have been accepted. */
export function acceptedObject(answer: Answer): StoredObject {
  if (!answer.accepted) throw new Error(answer.message);
  return answer.object;
}

/** Installs our definitions, and returns when the API server serves them. Harmless when they are there already. */
export async function installDefinitions(environment: AttachedEnvironment): Promise<void> {
  const folder = `${import.meta.dirname}/../../../crds`;
  const files = KINDS.flatMap(({ plural }) => ["-f", `${folder}/${plural}.yaml`]);
  await kubectl(environment, ["apply", "--server-side", "--force-conflicts", ...files]);
  await kubectl(environment, ["wait", "--for=condition=Established", "--timeout=30s", ...files]);
}

function placed(document: KubernetesDocument, namespace: string): KubernetesDocument {
  return isClusterScoped(document) ? document : { ...document, metadata: { ...document.metadata, namespace } };
}

function isClusterScoped(document: KubernetesDocument): boolean {
  return KINDS.some(({ kind, scope }) => kind === document.kind && scope === "Cluster");
}

function collectionOf(document: KubernetesDocument, namespace: string): string {
  const plural = KINDS.find(({ kind }) => kind === document.kind)?.plural;
  if (plural === undefined) return `/api/v1/namespaces/${namespace}/${document.kind.toLowerCase()}s`;
  return `/apis/${GROUP}/${VERSION}/${isClusterScoped(document) ? "" : `namespaces/${namespace}/`}${plural}`;
}

function pathOf(object: StoredObject, namespace: string): string {
  return `${collectionOf(object, namespace)}/${String(object.metadata.name)}`;
}
