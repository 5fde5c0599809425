// The lines that make a shell's tools talk to an environment.
import { delimiter, dirname } from "node:path";
import type { Environment } from "./environment.ts";
import { SHARED_VARIABLE } from "./shared.ts";

/** Lines for a POSIX shell: kubectl, psql, S3 tools, and jest. */
export function exportLines(environment: Environment): readonly string[] {
  const { postgres, s3, provider, kubectlPath } = environment;
  const values = {
    KUBECONFIG: environment.kubeconfigPath,
    PGURL: postgres.adminUrl,
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: s3.bucket,
    AWS_ENDPOINT_URL: s3.endpoint,
    AWS_REGION: s3.region,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    PROVIDER_URL: provider.baseUrl,
    PROVIDER_ADMIN_URL: provider.adminUrl,
    PROVIDER_TOKEN: provider.token,
    [SHARED_VARIABLE]: environment.coordinatesPath,
  };
  const lines = Object.entries(values).map(([name, value]) => `export ${name}='${value}'`);
  return [...lines, `export PATH='${dirname(kubectlPath)}'${delimiter}"$PATH"`];
}
