import { describe, expect, test } from "@jest/globals";
import { readConfig } from "../../../operator/config.ts";

const GOOD = { DATABASE_URL: "postgres://app:hidden@db/genop", S3_BUCKET: "genop" };

const ROWS: readonly {
  readonly when: string;
  readonly env: Readonly<Record<string, string>>;
  readonly names: string;
}[] = [
  { when: "the database is missing", env: { S3_BUCKET: "genop" }, names: "DATABASE_URL" },
  {
    when: "the database is of another kind",
    env: { ...GOOD, DATABASE_URL: "mysql://app:hidden@db/genop" },
    names: "DATABASE_URL",
  },
  {
    when: "the renew deadline leaves no room",
    env: { ...GOOD, LEASE_RENEW_DEADLINE_SECONDS: "15" },
    names: "LEASE_RENEW_DEADLINE_SECONDS",
  },
  { when: "the retry leaves no room", env: { ...GOOD, LEASE_RETRY_SECONDS: "9" }, names: "LEASE_RETRY_SECONDS" },
  { when: "half of a credential is given", env: { ...GOOD, AWS_ACCESS_KEY_ID: "k" }, names: "AWS_SECRET_ACCESS_KEY" },
  { when: "a number is a word", env: { ...GOOD, TASK_WORKERS: "many" }, names: "TASK_WORKERS" },
  { when: "a class has a typo", env: { ...GOOD, SLA_CLASSES: '{"fast":{"prio":1}}' }, names: "SLA_CLASSES.fast" },
  { when: "the classes are no JSON", env: { ...GOOD, SLA_CLASSES: "{fast}" }, names: "SLA_CLASSES" },
];

describe("the configuration", () => {
  test.each(ROWS)("when $when, the start fails and names the variable", ({ env, names }) => {
    expect(() => readConfig(env)).toThrow(names);
  });

  test("all problems are told at once, and no value is repeated", () => {
    const read = (): unknown => readConfig({ DATABASE_URL: "mysql://app:hidden@db/genop", HTTP_PORT: "99999" });
    for (const variable of ["DATABASE_URL", "HTTP_PORT", "S3_BUCKET"]) expect(read).toThrow(variable);
    expect(read).not.toThrow(/hidden/);
  });

  test("an empty variable is an unset one", () => {
    expect(readConfig({ ...GOOD, KUBECONFIG: "" }).KUBECONFIG).toBeUndefined();
  });
});
