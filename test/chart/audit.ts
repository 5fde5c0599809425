// What the API server itself wrote down of who asked it for what, and whether it let them: its audit log.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const Line = z.object({
  verb: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z
    .object({
      resource: z.string(),
      subresource: z.string().optional(),
      apiGroup: z.string().default(""),
      namespace: z.string().default(""),
      name: z.string().default(""),
    })
    .optional(),
  annotations: z.record(z.string(), z.string()).default({}),
});

export interface Asked {
  /** The service account's name. */
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource, as a rule has it. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly isAllowed: boolean;
}

export interface Audit {
  /** For the API server. */
  readonly serverArgs: readonly string[];
  /** What service accounts of the namespace have asked for until now. */
  asked(): readonly Asked[];
  close(): void;
}

export function makeAudit(namespace: string): Audit {
  const folder = mkdtempSync(join(tmpdir(), "genop-audit-"));
  const [policy, log] = [join(folder, "policy.yaml"), join(folder, "audit.log")];
  const rules = [{ level: "Metadata", userGroups: [`system:serviceaccounts:${namespace}`] }, { level: "None" }];
  const file = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"], rules };
  writeFileSync(policy, JSON.stringify(file)); // JSON is YAML
  return {
    serverArgs: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
    asked: () => {
      const lines = readFileSync(log, "utf8").split("\n").slice(0, -1); // the last one may be half written
      return lines.flatMap((line) => askedIn(line));
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function askedIn(line: string): readonly Asked[] {
  const { annotations, objectRef, user, verb } = Line.parse(JSON.parse(line));
  if (!objectRef) return []; // discovery and the like
  const { apiGroup: group, name, namespace, resource, subresource } = objectRef;
  return [
    {
      account: user.username.split(":").at(-1) ?? "",
      ...{ verb, group, namespace, name },
      resource: subresource === undefined ? resource : `${resource}/${subresource}`,
      isAllowed: annotations["authorization.k8s.io/decision"] === "allow",
    },
  ];
}
