// Uploads to the real store through a proxy that fails as it is told.
import { afterAll, afterEach, beforeAll } from "@jest/globals";
import type { IncomingMessage } from "node:http";
import { makeStoreClient } from "../../../operator/artifacts/store/client.ts";
import type { StoreClient, StoreSettings } from "../../../operator/artifacts/store/client.ts";
import { makeObjects } from "../../../operator/artifacts/store/objects.ts";
import type { Objects, StoredObject } from "../../../operator/artifacts/store/objects.ts";
import { makeUploads } from "../../../operator/artifacts/store/upload.ts";
import type { Upload, Uploads } from "../../../operator/artifacts/store/upload.ts";
import { startLossyStore } from "./lossy-store.ts";
import type { LossyStore } from "./lossy-store.ts";
import { forever, makeWorkshop } from "./workshop.ts";
import type { Workshop } from "./workshop.ts";

/** Longer than any test: what ends in time did not need this limit. */
const NEVER_MS = 600_000;

type Asked = Pick<IncomingMessage, "method" | "url">;

export const isPart =
  (number: number) =>
  ({ method, url = "" }: Asked): boolean =>
    method === "PUT" && url.includes(`partNumber=${number}`);
export const isPut = ({ method, url = "" }: Asked): boolean => method === "PUT" && !url.includes("partNumber=");
export const isCompletion = ({ method, url = "" }: Asked): boolean => method === "POST" && url.includes("uploadId=");
export const isCallOff = ({ method, url = "" }: Asked): boolean => method === "DELETE" && url.includes("uploadId=");
export const never = (): boolean => false;

interface How {
  readonly signal?: AbortSignal;
  readonly checksums?: StoreSettings["checksums"];
  readonly stepMs?: number;
  readonly head?: Objects["head"];
}

export interface UploadFixture {
  readonly workshop: () => Workshop;
  /** It works again before each test. */
  readonly lossy: () => LossyStore;
  /** How often an upload could not be called off in this test. */
  readonly left: () => number;
  readonly uploads: (how?: How) => Uploads;
  readonly begin: (key: string, how?: How) => Upload;
  /** Writes, and finishes or abandons. */
  readonly store: (key: string, bytes: Buffer, how?: How) => Promise<StoredObject>;
}

/** To be called at the top of a test file. */
export function makeUploadFixture(): UploadFixture {
  const parts: { workshop?: Workshop; lossy?: LossyStore; clients: StoreClient[]; left: number } = {
    clients: [],
    left: 0,
  };
  const workshop = () => present(parts.workshop);
  const lossy = () => present(parts.lossy);

  beforeAll(async () => {
    parts.workshop = makeWorkshop({ accessTo: () => undefined });
    parts.lossy = await startLossyStore(workshop().store.endpoint ?? "");
  });
  afterEach(() => {
    lossy().heal();
    parts.left = 0;
  });
  afterAll(async () => {
    for (const client of parts.clients) client.close();
    await parts.lossy?.close();
    await parts.workshop?.close();
  });

  const uploads = ({ checksums = "WHEN_SUPPORTED", stepMs = NEVER_MS, head }: How = {}): Uploads => {
    const client = makeStoreClient({ ...workshop().store, endpoint: lossy().endpoint, checksums });
    parts.clients.push(client);
    return makeUploads(client, { ...makeObjects(client), ...(head && { head }) }, () => (parts.left += 1), stepMs);
  };
  const begin = (key: string, how: How = {}): Upload =>
    uploads(how).begin(`${workshop().store.prefix}${key}`, how.signal ?? forever);
  const store = (key: string, bytes: Buffer, how: How = {}) => storeBy(begin(key, how), bytes);
  return { workshop, lossy, left: () => parts.left, uploads, begin, store };
}

function present<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error("the fixture is not set up yet");
  return part;
}

async function storeBy(upload: Upload, bytes: Buffer): Promise<StoredObject> {
  try {
    for (let at = 0; at < bytes.length; at += 100_000) await upload.write(bytes.subarray(at, at + 100_000));
    return await upload.finish();
  } catch (error) {
    await upload.abandon();
    throw error;
  }
}
