// The environment of the process that tells what the database knows, read once and whole. Nothing in it can write.
import { z } from "zod";
import { readEnvironment } from "../runtime/environment.ts";

const port = (byDefault: number): z.ZodType<number> => z.coerce.number().int().min(0).max(65_535).default(byDefault);

const Environment = z.object({
  EVIDENCE_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL of a member of genop_reader"),
  EVIDENCE_POOL_SIZE: z.coerce.number().int().min(1).max(100).default(2),
  EVIDENCE_HOST: z.string().min(1).default("0.0.0.0"),
  EVIDENCE_PORT: port(8092),
  TOKEN_AUDIENCES: z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]))),
  KUBECONFIG: z.string().min(1).optional(),
  HTTP_HOST: z.string().min(1).default("0.0.0.0"),
  HTTP_PORT: port(8080),
  POD_NAME: z.string().min(1).max(253).optional(),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
});
export type EvidenceConfig = Readonly<z.infer<typeof Environment>>;

/** The names of all variables, for the documentation's test. */
export const EVIDENCE_VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** Throws one error that lists every problem; values are not repeated, since some are secrets. */
export function readEvidenceConfig(environment: Readonly<Record<string, string | undefined>>): EvidenceConfig {
  return readEnvironment(Environment, environment);
}
