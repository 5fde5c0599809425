// The processes that the chart starts, as their code sees them: which variables they know, and how they read them.
import { readConfig as readShim, VARIABLES as SHIM_VARIABLES } from "../../api-shim/config.ts";
import { readConfig as readOperator, VARIABLES as OPERATOR_VARIABLES } from "../../operator/config.ts";
import { EVIDENCE_VARIABLES, readEvidenceConfig } from "../../operator/evidence/config.ts";
import { readMigrateConfig } from "../../operator/postgres/migrate-job.ts";
import { readVerifySettings } from "../../operator/postgres/verify-command.ts";
import { readReceiverConfig, RECEIVER_VARIABLES } from "../../operator/receiver/config.ts";
import { readText } from "../docs/markdown.ts";
import type { Variable } from "./pods.ts";

type Environment = Readonly<Record<string, string>>;

export interface Role {
  readonly entry: string;
  readonly variables: readonly string[];
  /** Throws when the process would not start. */
  readonly read: (environment: Environment) => object | "help";
  /** The variable that says the number of each named port. */
  readonly ports: Readonly<Record<string, string>>;
}

const namesIn = (path: string, pattern: RegExp): readonly string[] => readText(path).match(pattern) ?? [];

export const ROLES: Readonly<Record<string, Role>> = {
  operator: {
    entry: "operator/main.ts",
    variables: OPERATOR_VARIABLES,
    read: readOperator,
    ports: { http: "HTTP_PORT" },
  },
  shim: {
    entry: "api-shim/main.ts",
    variables: SHIM_VARIABLES,
    read: readShim,
    ports: { http: "HTTP_PORT", rest: "REST_PORT" },
  },
  receiver: {
    entry: "operator/receive.ts",
    variables: RECEIVER_VARIABLES,
    read: readReceiverConfig,
    ports: { http: "HTTP_PORT", webhooks: "RECEIVER_PORT" },
  },
  evidence: {
    entry: "operator/evidence.ts",
    variables: EVIDENCE_VARIABLES,
    read: readEvidenceConfig,
    ports: { http: "HTTP_PORT", evidence: "EVIDENCE_PORT" },
  },
  migrate: {
    entry: "operator/migrate.ts",
    variables: namesIn("operator/postgres/migrate-job.ts", /MIGRATE_[A-Z_]+/g),
    read: readMigrateConfig,
    ports: {},
  },
  verify: {
    entry: "operator/verify.ts",
    variables: namesIn("operator/postgres/verify-command.ts", /VERIFY_[A-Z_]+/g),
    read: (environment) => readVerifySettings([], environment),
    ports: {},
  },
};

/** What a container's variables are in a pod, with something fitting for what comes from elsewhere. */
export function environmentOf(env: readonly Variable[]): Environment {
  return Object.fromEntries(env.map((variable) => [variable.name, variable.value ?? fitting(variable)]));
}

function fitting({ name, valueFrom }: Variable): string {
  if (!valueFrom?.secretKeyRef) return "name";
  return name.endsWith("DATABASE_URL") ? "postgres://login@database/genop" : "s".repeat(32);
}
