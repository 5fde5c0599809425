// What the chart renders, for each set of values in its ci/ folder and for none: judged as objects, not as text.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { VARIABLES } from "../../operator/config.ts";
import { renderRbac } from "../../operator/kube/rbac.ts";
import { CHART, ensureHelm, helm, NAMESPACE, render } from "./helm.ts";
import type { Rendered } from "./helm.ts";
import { containersOf, podSpecOf } from "./pods.ts";

const FILES = readdirSync(join(CHART, "ci")).map((name) => join(CHART, "ci", name));
const PRODUCTION = join(CHART, "ci", "production.yaml");
const BUILD_MS = 1_200_000;

beforeAll(() => ensureHelm((line) => void process.stderr.write(`${line}\n`)), BUILD_MS);

test("values.yaml stays short enough to be read", () => {
  expect(readFileSync(join(CHART, "values.yaml"), "utf8").split("\n").length).toBeLessThanOrEqual(220);
});

describe.each(FILES)("with the values of %s", (file) => {
  let objects: readonly Rendered[];
  beforeAll(async () => {
    objects = await render({ files: [file] });
  });

  test("helm lint has nothing to say", async () => {
    expect(await helm(["lint", "--strict", CHART, "--values", file])).toContain("0 chart(s) failed");
  });

  test("every object says what it belongs to, and none is rendered twice", () => {
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
    for (const { metadata } of objects) {
      expect(metadata.labels).toMatchObject({
        "app.kubernetes.io/name": "generation-operator",
        "app.kubernetes.io/instance": "genop",
      });
    }
  });

  test("every pod is nobody, can write nowhere, and has limits", () => {
    const pods = objects.filter((object) => podSpecOf(object) !== undefined);
    expect(pods.length).toBeGreaterThanOrEqual(2);
    for (const pod of pods) {
      expect(podSpecOf(pod)).toMatchObject({
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      });
      for (const { securityContext } of containersOf(pod)) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
      }
    }
  });

  test("the operator is given variables that it knows, and all that it needs", () => {
    const operator = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name.endsWith("operator"));
    const given = containersOf(operator).flatMap(({ env = [] }) => env.map(({ name }) => name));
    expect(given.filter((name) => !VARIABLES.includes(name))).toEqual([]);
    expect(given).toEqual(expect.arrayContaining(["DATABASE_URL", "S3_BUCKET", "POD_NAME", "OPERATOR_NAMESPACE"]));
  });
});

test.each([
  { inputSecrets: "everywhere", shards: 1 },
  { inputSecrets: "bound", shards: 4 },
] as const)(
  "with inputSecrets $inputSecrets and shards $shards, the rights are exactly those of the code",
  async ({ inputSecrets, shards }) => {
    const values = { "rbac.inputSecrets": inputSecrets, "operator.shards": shards };
    const objects = await render({ files: [PRODUCTION], values });
    const isRight = ({ apiVersion, metadata }: Rendered): boolean =>
      apiVersion.startsWith("rbac") && !metadata.name.includes("migrate");
    const name = "genop-generation-operator";
    const inOrder = (list: readonly object[]): readonly string[] =>
      list.map((object) => JSON.stringify(sorted(withoutLabels(object)))).sort();
    const account = { name, namespace: NAMESPACE, serviceAccount: name, leases: [name] };
    const wanted = renderRbac({ ...account, inputSecrets, sharded: shards > 1 });
    expect(inOrder(objects.filter(isRight))).toEqual(inOrder(wanted));
  },
);

/** With the keys of every object in order, so that two objects can be compared as text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** What is compared: labels are the chart's own, and what is undefined is not there. */
function withoutLabels(object: object): unknown {
  return JSON.parse(JSON.stringify(object, (key, value: unknown) => (key === "labels" ? undefined : value)));
}
