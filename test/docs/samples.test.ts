// Every object in a document is one that the operator reads, and one of ours is a sample that the API server was shown.
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { KINDS } from "../../crds/kinds.ts";
import { readBudgetsText, readQuotaText } from "../../operator/kube/quota-text.ts";
import { BUDGETS_ENTRY } from "../../operator/task/budget.ts";
import { QUOTA_CONFIG_MAP } from "../../operator/kube/quota.ts";
import { DOCUMENTS, ROOT, blocksOf, filesBelow, readText } from "./markdown.ts";

const Manifest = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({}) });
type Manifest = z.infer<typeof Manifest>;

const OBJECTS = DOCUMENTS.flatMap((document) =>
  blocksOf(readText(document))
    .filter(({ language }) => language === "yaml")
    .flatMap(({ text }) => parseAllDocuments(text).map((one) => one.toJS() as unknown))
    .map((object) => ({ document, object: Manifest.parse(object) }))
    .map((one) => ({ ...one, name: `${one.object.kind} ${String(one.object.metadata.name)}` })),
);
const OURS = OBJECTS.filter(({ object }) => object.apiVersion.startsWith("genop.dev/"));
const QUOTAS = OBJECTS.filter(({ object }) => object.metadata.name === QUOTA_CONFIG_MAP);

const SAMPLES = filesBelow(join(ROOT, "crds", "samples"), ".yaml").map((path) => parse(readText(path)) as unknown);

const QuotaData = z.looseObject({ data: z.record(z.string(), z.string()) });

describe("objects in documents", () => {
  test("there are some of each kind", () => {
    const kinds = new Set(OURS.map(({ object }) => object.kind));
    expect([...kinds].sort()).toEqual(KINDS.map(({ kind }) => kind).sort());
    expect(QUOTAS.length).toBeGreaterThan(0);
  });

  test.each(OURS)("the $name of $document is accepted", ({ object }) => {
    const kind = KINDS.find((one) => one.kind === object.kind);
    expect(kind?.spec.safeParse(object.spec).error?.issues).toBeUndefined();
    expect(kind).toBeDefined();
  });

  test.each(OURS)("the $name of $document is one of crds/samples", ({ object }) => {
    expect(SAMPLES).toContainEqual(object);
  });

  test.each(QUOTAS)("the quota of $document can be read", ({ object }) => {
    const { data } = QuotaData.parse(object);
    const read = Object.entries(data).map(
      ([name, text]) => (name === BUDGETS_ENTRY ? readBudgetsText(text) : readQuotaText(name, text)).outcome,
    );
    expect(new Set(read)).toEqual(new Set(["good"]));
  });
});
