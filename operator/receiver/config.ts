// The receiver's environment, read once and whole. Nothing of the operator's own rights is in it.
import { z } from "zod";
import { readEnvironment } from "../runtime/environment.ts";
import { PROCESS_VARIABLES, portVariable } from "../variables.ts";

const Environment = z.object({
  RECEIVER_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL of a member of genop_receiver"),
  RECEIVER_POOL_SIZE: z.coerce.number().int().min(1).max(100).default(4),
  WEBHOOK_KEY: z.string().min(32, "must have at least 32 characters, the same as the operator's"),
  RECEIVER_HOST: z.string().min(1).default("0.0.0.0"),
  RECEIVER_PORT: portVariable(8090),
  ...PROCESS_VARIABLES,
  HTTP_PORT: portVariable(8080),
});
export type ReceiverConfig = Readonly<z.infer<typeof Environment>>;

/** The names of all variables, for the documentation's test. */
export const RECEIVER_VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** Throws one error that lists every problem; values are not repeated, since some are secrets. */
export function readReceiverConfig(environment: Readonly<Record<string, string | undefined>>): ReceiverConfig {
  return readEnvironment(Environment, environment);
}
