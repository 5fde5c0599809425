// What must hold when the dust has settled, judged by the provider's own record, the books and the object store.
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { makePool } from "../../operator/postgres/pool.ts";
import { makeReports } from "../../operator/postgres/reports.ts";
import type { AttachedEnvironment } from "../env/attach.ts";
import type { Installation } from "./installation.ts";
import type { SeenTask } from "./watcher.ts";

type Store = Pick<AttachedEnvironment, "s3">;

/** Who knows what bytes a provider serves. */
export interface Truth {
  expected(jobID: string, name: string): Promise<{ readonly sha256: string }>;
}

/** Rows of the reports that must be empty. A hold past its age is no error by itself: a parked task keeps its own. */
export async function brokenBooks({
  databaseUrl,
}: Pick<Installation, "databaseUrl">): Promise<Readonly<Record<string, number>>> {
  const pool = makePool({ url: databaseUrl, applicationName: "verdict", maxConnections: 1 });
  try {
    const counts = await makeReports(pool).run(AbortSignal.timeout(30_000));
    const broken = counts.filter(({ report, rows }) => rows > 0 && report !== "holds_past_age");
    return Object.fromEntries(broken.map(({ report, rows }) => [report, rows]));
  } finally {
    await pool.end();
  }
}

/** Keys that are left below a prefix, at most a thousand. */
export async function keysBelow(environment: Store, prefix: string): Promise<readonly string[]> {
  const client = clientOf(environment);
  try {
    const listed = await client.send(new ListObjectsV2Command({ Bucket: environment.s3.bucket, Prefix: prefix }));
    return (listed.Contents ?? []).map(({ Key }) => Key ?? "");
  } finally {
    client.destroy();
  }
}

/** Assets in the status of tasks whose bytes, read back from the store, are not what the provider says it serves. */
export async function wrongAssets(
  environment: Store,
  provider: Truth,
  tasks: readonly SeenTask[],
): Promise<readonly string[]> {
  const assets = tasks.flatMap(({ metadata, status }) =>
    (status?.assets ?? []).map((asset) => ({ ...asset, task: metadata.name, job: status?.providerJobID ?? "" })),
  );
  const client = clientOf(environment);
  const wrong: string[] = [];
  try {
    for (const { job, name, sha256, task, uri } of assets) {
      const truth = await provider.expected(job, name);
      const stored = await hashOf(client, uri);
      if (stored !== truth.sha256 || sha256 !== truth.sha256) wrong.push(`${task}: ${name}`);
    }
  } finally {
    client.destroy();
  }
  return wrong;
}

async function hashOf(client: S3Client, uri: string): Promise<string> {
  const { hostname, pathname } = new URL(uri);
  const { Body } = await client.send(
    new GetObjectCommand({ Bucket: hostname, Key: decodeURIComponent(pathname.slice(1)) }),
  );
  const hash = createHash("sha256");
  for await (const chunk of Body as AsyncIterable<Uint8Array>) hash.update(chunk);
  return hash.digest("hex");
}

function clientOf({ s3 }: Store): S3Client {
  const { accessKeyId, endpoint, region, secretAccessKey } = s3;
  return new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
}
