import { describe, expect, test } from "@jest/globals";
import { VARIABLES, readConfig } from "../../operator/config.ts";
import { EVIDENCE_VARIABLES, readEvidenceConfig } from "../../operator/evidence/config.ts";
import { RECEIVER_VARIABLES, readReceiverConfig } from "../../operator/receiver/config.ts";
import { readMigrateConfig } from "../../operator/postgres/migrate-job.ts";
import { bare, readText, rowsWith } from "./markdown.ts";

const PAGE = readText("docs/reference/configuration.md");
const COLUMNS = ["variable", "type", "default", "meaning", "a wrong value", "says"];
const ROWS = rowsWith(PAGE, COLUMNS);
const MIGRATE_ROWS = ROWS.filter(({ variable }) => bare(variable).startsWith("MIGRATE_"));
const OPERATOR_ROWS = ROWS.filter((row) => !MIGRATE_ROWS.includes(row));

const NEEDED = { DATABASE_URL: "postgres://app@db/genop", S3_BUCKET: "genop" };
const NEEDED_TO_MIGRATE = { MIGRATE_DATABASE_URL: "postgres://owner@db/genop" };

function textOf(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

describe("docs/reference/configuration.md", () => {
  test("has a row for every variable of the operator, and for no other", () => {
    expect(OPERATOR_ROWS.map(({ variable }) => bare(variable)).sort()).toEqual([...VARIABLES].sort());
  });

  test.each(OPERATOR_ROWS)("says the default of $variable", ({ variable, default: told = "" }) => {
    const name = bare(variable);
    if (Object.hasOwn(NEEDED, name)) {
      expect(told).toBe("required");
      expect(() => readConfig({ ...NEEDED, [name]: undefined })).toThrow(name);
      return;
    }
    const config: Readonly<Record<string, unknown>> = readConfig(NEEDED);
    expect(bare(told)).toBe(textOf(config[name]));
  });

  test.each(OPERATOR_ROWS.filter((row) => row["a wrong value"] !== ""))(
    "says what a wrong $variable is answered",
    (row) => {
      const read = (): unknown => readConfig({ ...NEEDED, [bare(row.variable)]: bare(row["a wrong value"]) });
      expect(read).toThrow(`  ${bare(row.variable)}: ${row.says ?? ""}`);
    },
  );

  test.each(OPERATOR_ROWS.filter(({ type = "" }) => type.includes(" to ")))("says the limits of $variable", (row) => {
    const [least = NaN, most = NaN] = (row.type ?? "").split(" to ").map(Number);
    const variable = bare(row.variable);
    const read = (value: number): unknown => readConfig({ ...NEEDED, [variable]: String(value) });
    // A variable that depends on another one is refused for that, too: only the words of the limit itself count.
    expect(() => read(least - 0.01)).toThrow(new RegExp(`${variable}: (Too small|Invalid input)`));
    expect(() => read(most + 1)).toThrow(new RegExp(`${variable}: Too big`));
    expect(complaintOf(() => read(least))).not.toMatch(new RegExp(`${variable}: Too`));
    expect(complaintOf(() => read(most))).not.toMatch(new RegExp(`${variable}: Too`));
  });

  test.each([
    {
      role: "receiver",
      column: "name",
      variables: RECEIVER_VARIABLES,
      read: readReceiverConfig,
      needed: { RECEIVER_DATABASE_URL: "postgres://receiver@db/genop", WEBHOOK_KEY: "k".repeat(32) },
    },
    {
      role: "evidence service",
      column: "setting",
      variables: EVIDENCE_VARIABLES,
      read: readEvidenceConfig,
      needed: { EVIDENCE_DATABASE_URL: "postgres://reader@db/genop" },
    },
  ])("has a row with its default for every variable of the $role, and for no other", (role) => {
    const { column, needed, read, variables } = role;
    const rows = rowsWith(PAGE, [column, "default", "what it is"]);
    const names = rows.map((row) => bare(row[column]));
    expect(names.toSorted()).toEqual([...variables].sort());
    const config: Readonly<Record<string, unknown>> = read(needed);
    for (const [index, { default: told = "" }] of rows.entries()) {
      const name = names[index] ?? "";
      expect([name, bare(told)]).toEqual([name, told === "required" ? told : textOf(config[name])]);
      if (told === "required") expect(() => read({ ...needed, [name]: "" })).toThrow(name);
    }
  });

  test("has a row for every variable of the migration job, and for no other", () => {
    const source = readText("operator/postgres/migrate-job.ts");
    const inCode = new Set([...source.matchAll(/MIGRATE_[A-Z_]+/g)].map(([name]) => name));
    expect(MIGRATE_ROWS.map(({ variable }) => bare(variable)).sort()).toEqual([...inCode].sort());
  });

  test("has a row for every variable of who checks the ledger, and for no other", () => {
    const source = readText("operator/postgres/verify-command.ts");
    const inCode = new Set([...source.matchAll(/VERIFY_[A-Z_]+/g)].map(([name]) => name));
    const told = rowsWith(PAGE, ["of verify", "default", "what it is"]).map((row) => bare(row["of verify"]));
    expect(told.sort()).toEqual([...inCode].sort());
  });

  test("has what the image sets, and nothing else", () => {
    const [, set = ""] = /^ENV (.+)$/m.exec(readText("Dockerfile")) ?? [];
    const told = rowsWith(PAGE, ["of Node", "value", "why"]).map((row) => `${bare(row["of Node"])}=${bare(row.value)}`);
    expect(told.join(" ")).toBe(set);
  });

  test("every process that the image can start has a place on the page", () => {
    const entries = ["operator/migrate.ts", "operator/receive.ts", "operator/evidence.ts", "operator/verify.ts"];
    expect([...entries, "api-shim/main.ts"].filter((entry) => !PAGE.includes(`(\`${entry}\`)`))).toEqual([]);
  });

  test.each(MIGRATE_ROWS.filter((row) => row["a wrong value"] !== ""))(
    "says what a wrong $variable is answered",
    (row) => {
      const env = { ...NEEDED_TO_MIGRATE, [bare(row.variable)]: bare(row["a wrong value"]) };
      expect(() => readMigrateConfig(env)).toThrow(row.says);
    },
  );

  test("shows the message of a wrong start as it is", () => {
    const read = (): unknown => readConfig({ ...NEEDED, DATABASE_URL: "mysql://db", HTTP_PORT: "99999" });
    expect(PAGE).toContain(`\`\`\`text\n${complaintOf(read)}\n\`\`\``);
  });
});

function complaintOf(read: () => unknown): string {
  try {
    read();
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
