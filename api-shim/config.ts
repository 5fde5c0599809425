// The environment of the shim, read once and whole. A wrong value stops the start with one message that names every variable.
// docs/reference/rest.md is held to this table by a test. There is no database among it, on purpose.
import { z } from "zod";
import { readEnvironment } from "../operator/runtime/environment.ts";

/** A whole number, at least one: of what the variable's name tells. */
const whole = (byDefault: number, max: number): z.ZodType<number> =>
  z.coerce.number().int().min(1).max(max).default(byDefault);
const port = (byDefault: number): z.ZodType<number> => z.coerce.number().int().min(0).max(65_535).default(byDefault);
const seconds = (byDefault: number, max: number): z.ZodType<number> =>
  z.coerce.number().min(0.1).max(max).default(byDefault);
const flag = z.enum(["true", "false"]).transform((text) => text === "true");

const Environment = z.object({
  KUBECONFIG: z.string().min(1).optional(),
  POD_NAME: z.string().min(1).max(253).optional(),
  REST_HOST: z.string().min(1).default("0.0.0.0"),
  REST_PORT: port(8080),
  HTTP_HOST: z.string().min(1).default("0.0.0.0"),
  HTTP_PORT: port(8081),
  TOKEN_AUDIENCES: z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== ""),
    ),
  OPERATOR_METRICS_URL: z.url({ protocol: /^https?$/ }).optional(),
  MAX_CONNECTIONS: whole(10_000, 100_000),
  MAX_REQUESTS: whole(512, 10_000),
  MAX_STREAMS: whole(5_000, 100_000),
  MAX_STREAMS_PER_NAMESPACE: whole(1_000, 100_000),
  MAX_BACKLOG: whole(10_000, 1_000_000),
  MAX_BACKLOG_PER_NAMESPACE: whole(5_000, 1_000_000),
  REQUESTS_PER_SECOND: whole(200, 100_000),
  REQUESTS_BURST: whole(2_000, 100_000),
  CREATES_PER_SECOND: whole(50, 10_000),
  CREATES_BURST: whole(200, 100_000),
  UNTAKEN_SECONDS: seconds(10, 3600),
  HEARTBEAT_SECONDS: seconds(15, 300),
  STREAM_SECONDS: seconds(600, 86_400),
  REQUEST_SECONDS: seconds(15, 60),
  QUIET_SECONDS: z.coerce.number().min(0).max(300).default(3),
  DRAIN_SECONDS: whole(15, 3600),
  S3_BUCKET: z.string().min(3).max(63),
  S3_PREFIX: z.string().max(256).default(""),
  S3_ENDPOINT: z.url().optional(),
  S3_REGION: z.string().min(1).default("us-east-1"),
  S3_FORCE_PATH_STYLE: flag.default(false),
  AWS_ACCESS_KEY_ID: z.string().min(1).optional(),
  AWS_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  DOWNLOAD_URL_SECONDS: whole(300, 604_800),
  UPLOAD_URL_SECONDS: whole(900, 604_800),
  UPLOAD_READ_SECONDS: whole(86_400, 604_800),
  UPLOAD_MAX_BYTES: whole(1_073_741_824, 5_368_709_120),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
});

const Config = Environment.superRefine((config, context) => {
  if ((config.AWS_ACCESS_KEY_ID === undefined) !== (config.AWS_SECRET_ACCESS_KEY === undefined)) {
    context.addIssue({
      code: "custom",
      path: ["AWS_SECRET_ACCESS_KEY"],
      message: "must be set together with AWS_ACCESS_KEY_ID, or both left out",
    });
  }
  if (config.MAX_STREAMS >= config.MAX_CONNECTIONS) {
    context.addIssue({
      code: "custom",
      path: ["MAX_STREAMS"],
      message: "must be less than MAX_CONNECTIONS, or streams leave no connection for requests",
    });
  }
  if (config.HEARTBEAT_SECONDS >= config.STREAM_SECONDS) {
    context.addIssue({ code: "custom", path: ["HEARTBEAT_SECONDS"], message: "must be less than STREAM_SECONDS" });
  }
});
export type Config = Readonly<z.infer<typeof Config>>;

/** The names of all variables, for the documentation's test. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** Throws one error that lists every problem; values are not repeated, since some are secrets. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return readEnvironment(Config, environment);
}
