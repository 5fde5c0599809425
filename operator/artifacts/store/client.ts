// The object store's own client: settings, one way to call it, and its failures in our words.
import { S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { Interruption } from "../interruption.ts";

export interface StoreSettings {
  /** Undefined: AWS, by region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Put before every key: "" or a path that ends in "/". A bucket and prefix belong to one installation. */
  readonly prefix: string;
  /** Undefined: the usual chain of the AWS SDK (environment, pod identity, instance). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly forcePathStyle: boolean;
  /**
   * `WHEN_SUPPORTED`: every object carries a CRC-32 that the store checks, also after the copy. `WHEN_REQUIRED`: for stores
   * that refuse or mangle such requests; sizes alone are compared then.
   */
  readonly checksums: "WHEN_SUPPORTED" | "WHEN_REQUIRED";
}

/** One call with its SDK retries, when it carries at most one part of 8 MiB. */
const CALL_MS = 120_000;
/** A copy inside the store of up to 5 GiB: some stores answer only when it is done. */
export const COPY_MS = 600_000;

type Command = Parameters<S3Client["send"]>[0];

/** Sends one command, or not. */
type Route = (command: Command, call: (signal: AbortSignal, limitMs?: number) => Promise<unknown>) => Promise<unknown>;

type Send<Result> = (client: S3Client, signal: AbortSignal) => Promise<Result>;

export interface StoreClient {
  readonly bucket: string;
  readonly hasChecksums: boolean;
  /** Throws an Interruption for whatever the store or the network does, and the signal's reason when aborted. */
  call<Result>(signal: AbortSignal, send: Send<Result>, limitMs?: number): Promise<Result>;
  /** For code that sends by itself: the SDK's client, each of whose commands is handed to `route` with the `call` that sends it. */
  sender(route: Route): S3Client;
  close(): void;
}

/** The SDK repeats a failed call twice; only then does the whole fetch count as interrupted. */
export function makeStoreClient(settings: StoreSettings): StoreClient {
  const client = new S3Client({
    ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
    ...(settings.credentials && { credentials: settings.credentials }),
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    maxAttempts: 3,
    requestChecksumCalculation: settings.checksums,
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 5_000, socketTimeout: COPY_MS },
  });
  const call: StoreClient["call"] = async (signal, send, limitMs = CALL_MS) => {
    signal.throwIfAborted();
    try {
      return await send(client, AbortSignal.any([signal, AbortSignal.timeout(limitMs)]));
    } catch (error) {
      signal.throwIfAborted();
      throw new Interruption(wordForStore(error));
    }
  };
  return {
    bucket: settings.bucket,
    hasChecksums: settings.checksums === "WHEN_SUPPORTED",
    call,
    sender(route) {
      const send = (command: Command): Promise<unknown> =>
        route(command, (signal, limitMs) =>
          call(signal, (s3, abortSignal) => s3.send(command, { abortSignal }), limitMs),
        );
      return Object.create(client, { send: { value: send } }) as S3Client;
    },
    close: () => client.destroy(),
  };
}

const WORDS: Readonly<Record<string, string>> = {
  NoSuchKey: "store-object-missing",
  NotFound: "store-object-missing",
  NoSuchUpload: "store-upload-missing",
  NoSuchBucket: "store-bucket-missing",
  PreconditionFailed: "store-object-changed",
  BadDigest: "store-checksum",
  AccessDenied: "store-denied",
  InvalidAccessKeyId: "store-denied",
  SignatureDoesNotMatch: "store-denied",
  CredentialsProviderError: "store-denied",
  NotImplemented: "store-not-implemented",
  SlowDown: "store-busy",
  TimeoutError: "store-timeout",
  AbortError: "store-timeout",
};

/** A stable word; names and statuses only, never the store's text. */
function wordForStore(error: unknown): string {
  const known = error instanceof Error ? WORDS[error.name] : undefined;
  if (known !== undefined) return known;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === undefined) return "store-unreachable";
  if (status === 403) return "store-denied";
  return status === 501 ? "store-not-implemented" : `store-status-${status}`;
}
