// What zod says to the samples and to the invalid examples, and whether the examples cover the rules.
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { definitionOf } from "../../../crds/definition.ts";
import { KINDS } from "../../../crds/kinds.ts";
import { IMMUTABLE_TASK_FIELDS } from "../../../crds/transitions.ts";
import { BUDGETS_ENTRY, Budgets } from "../../../operator/task/budget.ts";
import { Quota } from "../../../operator/task/quota.ts";
import { TaskSpec } from "../../../operator/task/resource.ts";
import { MAX_INPUT_BYTES, MAX_INPUT_DEPTH } from "../../../operator/task/task-parts.ts";
import { documentFiles, expectedMessage, kindOf } from "./documents.ts";

const NOT_JUDGED = "# not judged by zod: ";

describe("zod takes", () => {
  test.each(documentFiles("samples").filter(({ documents }) => kindOf(documents[0])))(
    "sample $name",
    ({ documents }) => {
      expect(kindOf(documents[0])?.spec.safeParse(documents[0].spec)).toMatchObject({ success: true });
    },
  );

  test.each(documentFiles("invalid").filter(({ documents }) => documents.length === 2))(
    "both sides of $name, whose fault is the change",
    ({ documents }) => {
      for (const document of documents) {
        expect(document && kindOf(document)?.spec.safeParse(document.spec)).toMatchObject({ success: true });
      }
    },
  );
});

describe("zod refuses", () => {
  const judged = documentFiles("invalid").filter(
    ({ documents, text }) => documents.length === 1 && !text.includes(NOT_JUDGED),
  );

  test.each(judged)("$name", (file) => {
    const result = kindOf(file.documents[0])?.spec.safeParse(file.documents[0].spec);
    expect(result).toMatchObject({ success: false });
    const messages = result?.error?.issues.map(({ message }) => message).join("\n");
    const message = expectedMessage(file);
    if (message.startsWith("cannot ")) expect(messages).toContain(message);
  });
});

describe("the examples cover", () => {
  const expected = documentFiles("invalid").map(expectedMessage);
  const messages = KINDS.flatMap((kind) => [
    ...JSON.stringify(definitionOf(kind)).matchAll(/"message":"((?:[^"\\]|\\.)*)"/g),
  ]).map(([, message]) => JSON.parse(`"${message ?? ""}"`) as string);

  test.each([...new Set(messages)])("the rule: %s", (message) => {
    expect(expected.filter((part) => message.includes(part))).not.toHaveLength(0);
  });

  test.each(IMMUTABLE_TASK_FIELDS)("a change of spec.%s", (field) => {
    expect(expected).toContain(`cannot change spec.${field}: the request may already be paid for`);
  });
});

describe("the input of a task", () => {
  const task = (input: unknown): unknown => ({ providerRef: { name: "acme" }, model: "acme-image-1", input });
  const nested = (levels: number): unknown => (levels === 0 ? "leaf" : { inner: nested(levels - 1) });
  const messageFor = (input: unknown): string | undefined =>
    TaskSpec.safeParse(task(input))
      .error?.issues.map(({ message }) => message)
      .join("\n");

  test("is taken up to its limits of depth and size", () => {
    expect(messageFor(nested(MAX_INPUT_DEPTH))).toBeUndefined();
    expect(messageFor({ prompt: "x".repeat(MAX_INPUT_BYTES - '{"prompt":""}'.length) })).toBeUndefined();
    expect(messageFor({ seed: Number.MAX_SAFE_INTEGER, guidance: 7.5 })).toBeUndefined();
  });

  test.each([
    { when: "too deep", input: nested(MAX_INPUT_DEPTH + 1), says: /nests deeper than 32 levels/ },
    { when: "too deep inside a list", input: { list: [nested(MAX_INPUT_DEPTH - 1)] }, says: /nests deeper/ },
    { when: "too large", input: { prompt: "x".repeat(MAX_INPUT_BYTES - 12) }, says: /larger than 262144 bytes/ },
    { when: "too large in bytes, not in characters", input: { prompt: "€".repeat(90_000) }, says: /larger than/ },
    { when: "a number that has lost digits", input: { seeds: [2 ** 53] }, says: /lose digits/ },
  ])("is refused when it is $when", ({ input, says }) => {
    expect(messageFor(input)).toMatch(says);
  });

  test("is never quoted in a message: it may hold a secret", () => {
    expect(messageFor({ token: "hunter2", seeds: [2 ** 53] })).not.toContain("hunter2");
  });
});

describe("the quota sample", () => {
  const data = documentFiles("samples").find(({ name }) => name === "quota.yaml")?.documents[0].data ?? {};

  test.each(Object.entries(data))("can be read for %s", (name, entry) => {
    const read = name === BUDGETS_ENTRY ? Budgets : Quota;
    expect(read.safeParse(parse(entry))).toMatchObject({ success: true });
  });

  test.each(["studio: { creditsPerDay: 5 }", 'studio: { perDay: "5" }', 'Studio: { creditsPerDay: "5" }', '"*": "5"'])(
    "a bad edit of the budgets is refused: %s",
    (entry) => {
      expect(Budgets.safeParse(parse(entry))).toMatchObject({ success: false });
    },
  );

  test.each(["submit: { perMinut: 60 }", "inflight: 40", "submit: { perSecond: 0 }"])(
    "a bad edit is refused: %s",
    (entry) => {
      expect(Quota.safeParse(parse(entry))).toMatchObject({ success: false });
    },
  );
});
