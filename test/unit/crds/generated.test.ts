import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { KINDS } from "../../../crds/kinds.ts";
import { definitionOf } from "../../../crds/definition.ts";
import { structural, type Schema } from "../../../crds/structural.ts";
import { IMMUTABLE_TASK_FIELDS } from "../../../crds/transitions.ts";
import { TaskSpec } from "../../../operator/task/resource.ts";

const ROOT = join(import.meta.dirname, "../../..");

test("the checked-in definitions and field tables are current", () => {
  const check = () => execFileSync(process.execPath, ["crds/generate.ts", "--check"], { cwd: ROOT, encoding: "utf8" });
  expect(check()).toBe("");
});

/** Fields that a task's owner may change later, each under the rules that the tests of changes prove. */
const CHANGEABLE = ["callback", "cancelRequested", "resolution", "suspend", "ttlSecondsAfterFinished"];

test("every field of a task is either immutable or known to be changeable", () => {
  expect([...IMMUTABLE_TASK_FIELDS, ...CHANGEABLE].sort()).toEqual(Object.keys(TaskSpec.shape).sort());
});

describe.each(KINDS)("the definition of $kind", (kind) => {
  test("keeps to what apiextensions/v1 takes in a structural schema", () => {
    const text = JSON.stringify(definitionOf(kind));
    expect(text).not.toMatch(/\$ref|anyOf|allOf|oneOf|"additionalProperties":false/);
  });

  test("closes each rule with a message of our form", () => {
    const messages = [...JSON.stringify(definitionOf(kind)).matchAll(/"message":"((?:[^"\\]|\\.)*)"/g)];
    expect(messages.length).toBeGreaterThan(0);
    for (const [, message] of messages) expect(message).toMatch(/^cannot [^:]+: ./);
  });
});

describe("a schema that Kubernetes could not enforce is refused", () => {
  const described = (schema: z.ZodType): z.ZodType => z.strictObject({ field: schema.describe("A field.") });

  test.each([
    { what: "a text without limit", schema: described(z.string()), says: "cannot bound .field" },
    { what: "a list without limit", schema: described(z.array(z.boolean())), says: "cannot bound .field" },
    { what: "a map without limit", schema: described(z.record(z.string(), z.boolean())), says: "cannot bound .field" },
    {
      what: "a limitless text in a list",
      schema: described(z.array(z.string()).max(2)),
      says: "cannot bound .field[]",
    },
    { what: "a union", schema: described(z.union([z.boolean(), z.int()])), says: "cannot translate .field" },
    {
      what: "a field without description",
      schema: z.strictObject({ field: z.boolean() }),
      says: "cannot explain .field",
    },
  ])("$what", ({ schema, says }) => {
    expect(() => structural(schema)).toThrow(says);
  });

  test("and a bounded one is translated whole", () => {
    const schema = z.strictObject({
      size: z.int().min(0).max(5_000_000_000).default(1).describe("Bytes."),
      at: z.iso.datetime().optional().describe("When."),
    });
    const expected: Schema = {
      type: "object",
      properties: {
        size: {
          description: "Bytes.",
          type: "integer",
          format: "int64",
          default: 1,
          minimum: 0,
          maximum: 5_000_000_000,
        },
        at: { description: "When.", type: "string", format: "date-time" },
      },
    };
    expect(structural(schema)).toEqual(expected);
  });
});
