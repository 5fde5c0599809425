// Environment variables that more than one process reads, so that each means the same everywhere; and what they say together.
import { z } from "zod";

/** A port to listen on; 0 takes a free one. */
export const portVariable = (byDefault: number): z.ZodType<number> =>
  z.coerce.number().int().min(0).max(65_535).default(byDefault);

export const flagVariable = z.enum(["true", "false"]).transform((text) => text === "true");

/** Words between commas; none by default. */
export const wordsVariable = z
  .string()
  .default("")
  .transform((text) => text.split(",").flatMap((word) => (word.trim() === "" ? [] : [word.trim()])));

/** What every process has: a name in its log, how much it tells there, and where it is probed. */
export const PROCESS_VARIABLES = {
  POD_NAME: z.string().min(1).max(253).optional(),
  HTTP_HOST: z.string().min(1).default("0.0.0.0"),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
};

/** Where the object store is, and the keys to it; without keys the usual chain of the AWS SDK finds some. */
export const STORE_VARIABLES = {
  S3_BUCKET: z.string().min(3).max(63),
  S3_PREFIX: z.string().max(256).default(""),
  S3_ENDPOINT: z.url().optional(),
  S3_REGION: z.string().min(1).default("us-east-1"),
  S3_FORCE_PATH_STYLE: flagVariable.default(false),
  AWS_ACCESS_KEY_ID: z.string().min(1).optional(),
  AWS_SECRET_ACCESS_KEY: z.string().min(1).optional(),
};

type StoreVariables = Readonly<z.infer<z.ZodObject<typeof STORE_VARIABLES>>>;

export interface StoreAddress {
  /** Undefined: AWS, by region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Put before every key: "" or a path that ends in "/". */
  readonly prefix: string;
  readonly forcePathStyle: boolean;
  /** Undefined: the usual chain of the AWS SDK. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

export function storeOf(config: StoreVariables): StoreAddress {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return {
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    prefix: config.S3_PREFIX,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    credentials:
      accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : undefined,
  };
}

/** Adds a problem, told at `other`, when only one of two variables is set that mean nothing alone. */
export function bothOrNeither<Name extends string>(
  config: Readonly<Partial<Record<Name, unknown>>>,
  [one, other]: readonly [Name, Name],
  context: z.RefinementCtx,
): void {
  if ((config[one] === undefined) === (config[other] === undefined)) return;
  context.addIssue({
    code: "custom",
    path: [other],
    message: `must be set together with ${one}, or both left out`,
  });
}
