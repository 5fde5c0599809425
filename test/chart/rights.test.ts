// The rights that the chart gives to each process are exactly those of its code, and no process has an account without need.
import { beforeAll, expect, test } from "@jest/globals";
import { join } from "node:path";
import { renderShimRbac } from "../../api-shim/rights.ts";
import { renderEvidenceRbac } from "../../operator/evidence/rights.ts";
import { renderRbac } from "../../operator/kube/rbac.ts";
import { CHART, ensureHelm, NAMESPACE, render } from "./helm.ts";
import type { Rendered } from "./helm.ts";
import { workloadsIn } from "./pods.ts";

const PRODUCTION = join(CHART, "ci", "production.yaml");
const BUILD_MS = 1_200_000;

beforeAll(() => ensureHelm((line) => void process.stderr.write(`${line}\n`)), BUILD_MS);

const roleOf = ({ metadata }: Rendered): string => metadata.labels?.["app.kubernetes.io/component"] ?? "";
const isRight = ({ apiVersion }: Rendered): boolean => apiVersion.startsWith("rbac");

test.each([
  { inputSecrets: "everywhere", shards: 1 },
  { inputSecrets: "bound", shards: 4 },
] as const)(
  "with inputSecrets $inputSecrets and shards $shards, the operator's rights are exactly those of the code",
  async ({ inputSecrets, shards }) => {
    const values = { "rbac.inputSecrets": inputSecrets, "operator.shards": shards };
    const objects = await render({ files: [PRODUCTION], values });
    const name = "genop-generation-operator";
    const account = { name, namespace: NAMESPACE, serviceAccount: name, leases: [name] };
    const wanted = renderRbac({ ...account, inputSecrets, sharded: shards > 1 });
    expect(inOrder(objects.filter((object) => isRight(object) && roleOf(object) === "operator"))).toEqual(
      inOrder(wanted),
    );
  },
);

test.each([
  { role: "shim", wantedOf: renderShimRbac },
  { role: "evidence", wantedOf: renderEvidenceRbac },
])("the rights of the $role are exactly those of the code", async ({ role, wantedOf }) => {
  const objects = await render({ files: [PRODUCTION] });
  const name = `genop-generation-operator-${role}`;
  const wanted = wantedOf({ name, namespace: NAMESPACE, serviceAccount: name });
  expect(inOrder(objects.filter((object) => isRight(object) && roleOf(object) === role))).toEqual(inOrder(wanted));
});

test("a role that asks the cluster for nothing has no token of it, and each other one an account of its own", async () => {
  const objects = await render({ files: [PRODUCTION] });
  const accounts = workloadsIn(objects).map(({ pod, role }) => [
    role,
    pod.automountServiceAccountToken === false ? undefined : pod.serviceAccountName,
  ]);
  expect(Object.fromEntries(accounts)).toEqual({
    operator: "genop-generation-operator",
    shim: "genop-generation-operator-shim",
    evidence: "genop-generation-operator-evidence",
    migrate: "genop-generation-operator-migrate",
    receiver: undefined,
    verify: undefined,
  });
  const made = objects.filter(({ kind }) => kind === "ServiceAccount").map(({ metadata }) => metadata.name);
  expect(made.sort()).toEqual(accounts.flatMap(([, account]) => account ?? []).sort());
});

function inOrder(list: readonly object[]): readonly string[] {
  return list.map((object) => JSON.stringify(sorted(withoutLabels(object)))).sort();
}

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
