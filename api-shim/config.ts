// The environment of the shim, read once and whole. A wrong value stops the start with one message that names every variable.
// docs/reference/rest.md is held to this table by a test. There is no database among it, on purpose.
import { z } from "zod";
import { readEnvironment } from "../operator/runtime/environment.ts";
import {
  PROCESS_VARIABLES,
  STORE_VARIABLES,
  bothOrNeither,
  portVariable,
  wordsVariable,
} from "../operator/variables.ts";

/** A whole number, at least one: of what the variable's name tells. */
const whole = (byDefault: number, max: number): z.ZodType<number> =>
  z.coerce.number().int().min(1).max(max).default(byDefault);
const seconds = (byDefault: number, max: number): z.ZodType<number> =>
  z.coerce.number().min(0.1).max(max).default(byDefault);

const Environment = z.object({
  KUBECONFIG: z.string().min(1).optional(),
  ...PROCESS_VARIABLES,
  REST_HOST: z.string().min(1).default("0.0.0.0"),
  REST_PORT: portVariable(8080),
  HTTP_PORT: portVariable(8081),
  TOKEN_AUDIENCES: wordsVariable,
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
  ...STORE_VARIABLES,
  DOWNLOAD_URL_SECONDS: whole(300, 604_800),
  UPLOAD_URL_SECONDS: whole(900, 604_800),
  UPLOAD_READ_SECONDS: whole(86_400, 604_800),
  UPLOAD_MAX_BYTES: whole(1_073_741_824, 5_368_709_120),
});

const Config = Environment.superRefine((config, context) => {
  bothOrNeither(config, ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], context);
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
