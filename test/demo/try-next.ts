// What to type next, with the names and addresses of this run. The objects to apply are files, so that each line can be pasted.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { grantObject, quotaObject, taskObject } from "../operator/tenancy.ts";
import type { AttemptLine } from "../../operator/postgres/reports.ts";
import type { RecordContents } from "../provider/admin/contents.ts";
import { NEEDS_REVIEW } from "./cast.ts";
import type { Stage } from "./cluster.ts";
import { APP } from "./names.ts";

export interface Review {
  readonly attempt: number;
  /** The job that the provider's record has for it: what a person would look up in the provider's console. */
  readonly jobId: string | undefined;
}

export function reviewOf(attempts: readonly AttemptLine[], record: Pick<RecordContents, "jobs">): Review | undefined {
  const parked = attempts.find(({ state, taskParked }) => state === "sent" && taskParked);
  if (!parked) return undefined;
  return { attempt: parked.number, jobId: record.jobs.find(({ ref }) => ref === parked.attemptId)?.id };
}

/** Writes a task, a grant and a quota to apply into the folder, and the settings of a REST face. */
export async function writeObjects({ environment, names, restKubeconfigPath }: Stage, folder: string): Promise<void> {
  const namespace = names.namespace("studio");
  const task = taskObject({ namespace, name: "one-more", model: "sim-image", provider: names.provider("simulated") });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "one-more.yaml"), stringify(task));
  await writeFile(join(folder, "top-up.yaml"), stringify(grantObject(namespace, "top-up", "10")));
  const quota = { [names.provider("simulated")]: "submit: { perSecond: 20, burst: 10 }\ninFlight: 50\n" };
  await writeFile(join(folder, "quota.yaml"), stringify(quotaObject(quota, names.operator.namespace)));
  if (restKubeconfigPath === undefined) return;
  await writeFile(join(folder, REST), restSettings(environment, restKubeconfigPath), { mode: 0o600 });
}

const REST = "rest.sh";
const REST_PORT = 8090;

/** For a POSIX shell. */
function restSettings({ s3 }: Stage["environment"], kubeconfigPath: string): string {
  const settings = {
    KUBECONFIG: kubeconfigPath,
    ...{ REST_HOST: "127.0.0.1", REST_PORT, HTTP_HOST: "127.0.0.1", HTTP_PORT: REST_PORT + 1 },
    ...{ S3_ENDPOINT: s3.endpoint, S3_BUCKET: s3.bucket, S3_REGION: s3.region, S3_FORCE_PATH_STYLE: true },
    ...{ AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey },
  };
  return Object.entries(settings)
    .map(([name, value]) => `export ${name}='${String(value)}'\n`)
    .join("");
}

function restLines({ names, restKubeconfigPath }: Stage, folder: string): readonly string[] {
  if (restKubeconfigPath === undefined) return [];
  return [
    "# by REST, and in a browser: start the REST face in a shell of its own, and paste the token at its address",
    `(. ${join(folder, REST)} && npm run rest)   # http://127.0.0.1:${REST_PORT}/`,
    `kubectl -n ${names.namespace("studio")} create token ${APP}`,
  ];
}

export function nextLines(stage: Stage, folder: string, review: Review | undefined): readonly string[] {
  const { environment, names } = stage;
  const namespace = names.namespace("studio");
  return [
    `export KUBECONFIG='${environment.kubeconfigPath}' PATH='${dirname(environment.kubectlPath)}':"$PATH"`,
    "kubectl get gt -A -o wide",
    `kubectl -n ${namespace} events --for gt/never-arrived`,
    "# submit one more, and top up credits:",
    `kubectl apply -f ${join(folder, "one-more.yaml")}`,
    `kubectl -n ${namespace} wait --for=condition=Succeeded gt/one-more`,
    `kubectl apply -f ${join(folder, "top-up.yaml")}`,
    `kubectl -n ${namespace} get cg`,
    "# limit a provider, and see what it says of itself:",
    `kubectl apply -f ${join(folder, "quota.yaml")}`,
    `kubectl describe gp ${names.provider("simulated")}`,
    ...reviewLines(namespace, review),
    ...restLines(stage, folder),
  ];
}

function reviewLines(namespace: string, review: Review | undefined): readonly string[] {
  if (!review) return [];
  const { attempt, jobId } = review;
  const decision =
    jobId === undefined
      ? { attempt, decision: "NotCreated", note: "the console of the provider has no such job" }
      : { attempt, decision: "BindJob", jobID: jobId, note: "found in the console of the provider" };
  const patch = JSON.stringify({ spec: { resolution: decision } });
  return [
    "# the one that needs review: why, and a person's decision",
    `kubectl -n ${namespace} describe gt ${NEEDS_REVIEW}`,
    `kubectl -n ${namespace} patch gt ${NEEDS_REVIEW} --type=merge -p '${patch}'`,
  ];
}
