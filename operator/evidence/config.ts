// The environment of the process that tells what the database knows, read once and whole. Nothing in it can write.
import { z } from "zod";
import { readEnvironment } from "../runtime/environment.ts";
import { PROCESS_VARIABLES, portVariable, wordsVariable } from "../variables.ts";

const Environment = z.object({
  EVIDENCE_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL of a member of genop_reader"),
  EVIDENCE_POOL_SIZE: z.coerce.number().int().min(1).max(100).default(2),
  EVIDENCE_HOST: z.string().min(1).default("0.0.0.0"),
  EVIDENCE_PORT: portVariable(8092),
  TOKEN_AUDIENCES: wordsVariable,
  KUBECONFIG: z.string().min(1).optional(),
  ...PROCESS_VARIABLES,
  HTTP_PORT: portVariable(8080),
});
export type EvidenceConfig = Readonly<z.infer<typeof Environment>>;

/** The names of all variables, for the documentation's test. */
export const EVIDENCE_VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** Throws one error that lists every problem; values are not repeated, since some are secrets. */
export function readEvidenceConfig(environment: Readonly<Record<string, string | undefined>>): EvidenceConfig {
  return readEnvironment(Environment, environment);
}
