// The environment, read once and whole. A wrong value stops the start with one message that names every variable.
// docs/reference/configuration.md is held to this table by a test.
import { z } from "zod";
import { readEnvironment } from "./runtime/environment.ts";
import { PROCESS_VARIABLES, STORE_VARIABLES, bothOrNeither, portVariable } from "./variables.ts";

/** A whole number, at least one: of the seconds, calls or connections that the variable's name tells. */
const whole = (byDefault: number, max: number): z.ZodType<number> =>
  z.coerce.number().int().min(1).max(max).default(byDefault);
/** Decimals are allowed: a test, or a cluster with a fast API server, may want to hand over quickly. */
const partsOfSeconds = (byDefault: number, max: number): z.ZodType<number> =>
  z.coerce.number().min(0.1).max(max).default(byDefault);

const slaClass = z.strictObject({
  activeDeadlineSeconds: z.int().min(1).optional(),
  maxAttempts: z.int().min(1).max(10).optional(),
  priority: z.int().min(-100_000).max(100_000).optional(),
});

const slaClasses = z
  .string()
  .default("{}")
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({
        code: "custom",
        message: 'must be a JSON object such as {"interactive": {"priority": 1000}}',
      });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), slaClass));

const Environment = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL of the application role"),
  DATABASE_POOL_SIZE: whole(10, 100),
  KUBECONFIG: z.string().min(1).optional(),
  OPERATOR_NAMESPACE: z.string().min(1).max(63).default("genop-system"),
  ...PROCESS_VARIABLES,
  HTTP_PORT: portVariable(8080),
  SHARDS: whole(1, 64),
  LEASE_NAME: z.string().min(1).max(253).default("generation-operator"),
  LEASE_DURATION_SECONDS: partsOfSeconds(15, 300),
  LEASE_RENEW_DEADLINE_SECONDS: partsOfSeconds(10, 300),
  LEASE_RETRY_SECONDS: partsOfSeconds(2, 60),
  TASK_WORKERS: whole(64, 1000),
  FETCH_CONCURRENCY: whole(8, 256),
  DRAIN_SECONDS: whole(20, 3600),
  DELETION_GRACE_SECONDS: whole(900, 604_800),
  PROVIDER_GRACE_SECONDS: whole(60, 86_400),
  SLA_CLASSES: slaClasses,
  ...STORE_VARIABLES,
  S3_CHECKSUMS: z.enum(["WHEN_SUPPORTED", "WHEN_REQUIRED"]).default("WHEN_SUPPORTED"),
  ADOPT_INSTALLATION_FROM: z.uuid().optional(),
  PUBLIC_WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  WEBHOOK_KEY: z.string().min(32, "must have at least 32 characters").optional(),
});

const Config = Environment.superRefine((config, context) => {
  const { LEASE_DURATION_SECONDS: lease, LEASE_RENEW_DEADLINE_SECONDS: renew, LEASE_RETRY_SECONDS: retry } = config;
  if (renew >= lease) {
    context.addIssue({
      code: "custom",
      path: ["LEASE_RENEW_DEADLINE_SECONDS"],
      message: "must be less than LEASE_DURATION_SECONDS",
    });
  }
  if (retry * 1.2 >= renew) {
    context.addIssue({
      code: "custom",
      path: ["LEASE_RETRY_SECONDS"],
      message: "times 1.2 must be less than LEASE_RENEW_DEADLINE_SECONDS",
    });
  }
  if (config.SHARDS > 1 && config.LEASE_NAME.length > 63) {
    context.addIssue({
      code: "custom",
      path: ["LEASE_NAME"],
      message: "must have at most 63 characters where SHARDS is above 1: it is a label then",
    });
  }
  bothOrNeither(config, ["PUBLIC_WEBHOOK_URL", "WEBHOOK_KEY"], context);
  bothOrNeither(config, ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], context);
});
export type Config = Readonly<z.infer<typeof Config>>;

/** The names of all variables, for the documentation's test. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** Throws one error that lists every problem; values are not repeated, since some are secrets. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return readEnvironment(Config, environment);
}
