// Access to the API server: kubeconfig files, and tokens of service accounts as a cluster would issue them.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { dirname, join } from "node:path";

/** Where the API server is and who asks. */
export interface ApiAccess {
  readonly apiServerUrl: string;
  readonly caFile: string;
  readonly token: string;
}

export interface ServiceAccountAccess {
  readonly token: string;
  readonly kubeconfigPath: string;
}

const ANSWER_LIMIT_MS = 10_000;
const TOKEN_LIFETIME_SECONDS = 24 * 3600;

/** A kubeconfig that carries its certificates and its token, so that it can be copied anywhere. */
export function writeKubeconfig(path: string, access: ApiAccess, user: string): void {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "test",
        cluster: {
          server: access.apiServerUrl,
          "certificate-authority-data": readFileSync(access.caFile).toString("base64"),
        },
      },
    ],
    users: [{ name: user, user: { token: access.token } }],
    contexts: [{ name: "test", context: { cluster: "test", user } }],
    "current-context": "test",
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 }); // JSON is YAML
  chmodSync(path, 0o600);
}

function post(
  access: ApiAccess,
  path: string,
  body: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, access.apiServerUrl),
      {
        method: "POST",
        ca: readFileSync(access.caFile),
        agent: false,
        headers: { authorization: `Bearer ${access.token}`, "content-type": "application/json" },
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.once("error", reject).once("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.once("error", reject);
    sent.end(JSON.stringify(body));
  });
}

/**
 * A token for the service account `namespace/name`, and a kubeconfig with it in the folder. It may do what RBAC
 * gives the service account, which must exist.
 */
export async function tokenFor(access: ApiAccess, folder: string, account: string): Promise<ServiceAccountAccess> {
  const [namespace, name, ...rest] = account.split("/");
  if (!namespace || !name || rest.length > 0)
    throw new Error(`cannot make a token for "${account}": write namespace/name`);
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { status, text } = await post(access, path, { spec: { expirationSeconds: TOKEN_LIFETIME_SECONDS } });
  if (status !== 201)
    throw new Error(`cannot make a token for "${account}": the API server answered ${status}: ${text.trim()}`);
  const { token } = (JSON.parse(text) as { readonly status: { readonly token: string } }).status;
  const kubeconfigPath = join(folder, "kubeconfigs", `${namespace}.${name}.yaml`);
  writeKubeconfig(kubeconfigPath, { ...access, token }, account);
  return { token, kubeconfigPath };
}
