// What the chart renders, for each set of values in its ci/ folder: judged as objects, not as text.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHART, ensureHelm, helm, notes, render, templatesIn, TEMPLATES, VALUES_FILES } from "./helm.ts";
import type { Rendered } from "./helm.ts";
import { containersOf, workloadsIn, type Workload } from "./pods.ts";
import { environmentOf, ROLES } from "./roles.ts";

const BUILD_MS = 1_200_000;

beforeAll(() => ensureHelm((line) => void process.stderr.write(`${line}\n`)), BUILD_MS);

test("values.yaml stays short enough to be read", () => {
  expect(readFileSync(join(CHART, "values.yaml"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(220);
});

test("every template renders something with one of the sets of values", async () => {
  const rendered = await Promise.all(VALUES_FILES.map((file) => templatesIn({ files: [file] })));
  const seen = new Set(rendered.flatMap((names) => [...names]));
  expect(TEMPLATES.filter((name) => !seen.has(name))).toEqual(["checks.yaml"]); // it only refuses
});

test("every role of the image is in the chart, by one of the sets of values", async () => {
  const objects = await Promise.all(VALUES_FILES.map((file) => render({ files: [file] })));
  const roles = new Set(objects.flatMap(workloadsIn).map(({ role }) => role));
  expect([...roles].filter((role) => !role.startsWith("trial-")).sort()).toEqual(Object.keys(ROLES).sort());
});

describe.each(VALUES_FILES)("with the values of %s", (file) => {
  let objects: readonly Rendered[];
  let workloads: readonly Workload[];
  beforeAll(async () => {
    objects = await render({ files: [file] });
    workloads = workloadsIn(objects);
  });
  const ours = () =>
    workloads.flatMap((workload) => {
      const role = ROLES[workload.role];
      return role ? [{ ...workload, ...role }] : [];
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
    expect(workloads.length).toBeGreaterThanOrEqual(2);
    for (const workload of workloads) {
      expect(workload.pod).toMatchObject({
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      });
      for (const { resources, securityContext } of containersOf(workload)) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect([workload.role, resources?.limits?.memory]).toEqual([workload.role, expect.any(String)]);
      }
    }
  });

  test("every role is given variables that it knows, and starts with them", () => {
    for (const { entry, pod, read, variables } of ours()) {
      const [container] = pod.containers;
      expect(container?.args?.[0]).toBe(entry);
      const given = environmentOf(container?.env ?? []);
      expect(Object.keys(given).filter((name) => !variables.includes(name))).toEqual([]);
      expect(() => read(given)).not.toThrow();
    }
  });

  test("every role listens where its pod says", () => {
    for (const { pod, ports, read, role } of ours()) {
      const config = read(environmentOf(pod.containers[0]?.env ?? [])) as Readonly<Record<string, unknown>>;
      const listens = Object.entries(ports).map(([name, variable]) => ({ name, containerPort: config[variable] }));
      const told = (pod.containers[0]?.ports ?? []).toSorted((one, other) => other.name.localeCompare(one.name));
      const wanted = listens.toSorted((one, other) => other.name.localeCompare(one.name));
      expect([role, told]).toEqual([role, wanted]);
    }
  });

  test("every role has longer to end than it takes to drain", () => {
    for (const { pod, read } of ours()) {
      const config = read(environmentOf(pod.containers[0]?.env ?? [])) as { readonly DRAIN_SECONDS?: number };
      const { QUIET_SECONDS: quiet = 0 } = config as { readonly QUIET_SECONDS?: number };
      const drains = quiet + (config.DRAIN_SECONDS ?? 15);
      expect(pod.terminationGracePeriodSeconds ?? 30).toBeGreaterThanOrEqual(drains + 7);
    }
  });

  test("the notes say three commands at least, and name nothing that is not there", async () => {
    const told = await notes({ files: [file] });
    expect((told.match(/^ {2}(kubectl|curl) /gm) ?? []).length).toBeGreaterThanOrEqual(3);
    const named = [...told.matchAll(/\b(deployment|service|configmap|ClusterRole)[ /]([a-z][a-z-]+)/g)];
    const names = new Set(objects.map(({ kind, metadata }) => `${kind.toLowerCase()} ${metadata.name}`));
    expect(named.length).toBeGreaterThan(0);
    expect(
      named.map(([, kind = "", name = ""]) => `${kind.toLowerCase()} ${name}`).filter((one) => !names.has(one)),
    ).toEqual([]);
  });
});
