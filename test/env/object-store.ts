// The S3 server: versitygw over a folder. Object attributes are the file system's own, or files beside it where it has none.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PartEnded, type PartPlan } from "./part.ts";
import type { Start } from "./start.ts";

export interface ObjectStore {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: string;
}

const REGION = "us-east-1";
const BUCKET = "artifacts";

const NO_ATTRIBUTES = "xattrs are not supported";

/** Starts the S3 server with one empty bucket. */
export async function startObjectStore(start: Start, program: string): Promise<ObjectStore> {
  const [data, sidecar] = [join(start.folder, "s3", "data"), join(start.folder, "s3", "attributes")];
  mkdirSync(join(data, BUCKET), { recursive: true }); // a folder is a bucket
  mkdirSync(sidecar, { recursive: true });
  const accessKeyId = `test${randomBytes(8).toString("hex")}`;
  const secretAccessKey = randomBytes(24).toString("hex");
  const plan = (port: number, posix: readonly string[]): PartPlan => ({
    name: "s3",
    command: [
      program,
      "--port",
      `127.0.0.1:${port}`,
      "--region",
      REGION,
      "--health",
      "/health",
      "--keep-alive",
      "--quiet",
      "posix",
      ...posix,
      data,
    ],
    variables: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    logFile: start.logFile("s3"),
    stopSignal: "SIGTERM",
    quitSignal: "SIGKILL",
    ready: { type: "http", url: `http://127.0.0.1:${port}/health` },
  });
  const [port] = await start
    .part(([candidate]) => plan(candidate, []))
    .catch((error: unknown) => {
      if (!(error instanceof PartEnded) || !error.log.includes(NO_ATTRIBUTES)) throw error;
      return start.part(([candidate]) => plan(candidate, ["--sidecar", sidecar]));
    });
  return { endpoint: `http://127.0.0.1:${port}`, region: REGION, accessKeyId, secretAccessKey, bucket: BUCKET };
}
