// That what the chart renders holds together: each selector finds its pods, each named port is there, each reference leads somewhere.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { basename } from "node:path";
import { ensureHelm, render, VALUES_FILES } from "./helm.ts";
import type { Rendered } from "./helm.ts";
import { containersOf, isSelected, workloadsIn, type Labels, type Workload } from "./pods.ts";

const BUILD_MS = 1_200_000;
beforeAll(() => ensureHelm((line) => void process.stderr.write(`${line}\n`)), BUILD_MS);

interface Spec {
  readonly selector?: Labels & { readonly matchLabels?: Labels };
  readonly podSelector?: { readonly matchLabels: Labels };
  readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
  readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[];
  readonly podMetricsEndpoints?: readonly { readonly port: string }[];
}

const specOf = (object: Rendered): Spec => object.spec as Spec;
const portNames = ({ ports }: Workload): readonly string[] => ports.map(({ name }) => name);

describe.each(VALUES_FILES.map((file) => ({ name: basename(file), file })))(
  "with the values of $name",
  ({ file, name }) => {
    let objects: readonly Rendered[];
    let workloads: readonly Workload[];
    beforeAll(async () => {
      objects = await render({ files: [file] });
      workloads = workloadsIn(objects);
    });
    const ofKind = (kind: string): readonly Rendered[] => objects.filter((object) => object.kind === kind);
    const isThere = (kind: string, called: string): boolean =>
      ofKind(kind).some(({ metadata }) => metadata.name === called);

    /** The one workload whose pods the labels select. */
    function only(selector: Labels | undefined): Workload {
      const found = workloads.filter(({ labels }) => selector && isSelected(labels, selector));
      const [workload] = found;
      if (!workload || found.length > 1) throw new Error(`these labels select ${found.length} roles`);
      return workload;
    }

    test("a Deployment's selector finds its own pods and no others", () => {
      for (const { role, selector } of workloads.filter(({ object }) => object.kind === "Deployment"))
        expect(only(selector).role).toBe(role);
    });

    test("a Service leads to a port of one role", () => {
      expect(ofKind("Service").length).toBeGreaterThan(0);
      for (const service of ofKind("Service")) {
        const { ports = [], selector } = specOf(service);
        const workload = only(selector);
        for (const { port, targetPort } of ports) {
          expect(portNames(workload)).toContain(targetPort);
          expect(port).toBe(workload.ports.find(({ name: called }) => called === targetPort)?.containerPort);
        }
      }
    });

    test("every role that serves is probed where it tells how it is", () => {
      for (const { pod, ports } of workloads.filter((workload) => portNames(workload).includes("http"))) {
        const [container] = pod.containers;
        expect(container).toMatchObject({
          startupProbe: { httpGet: { path: "/livez", port: "http" } },
          livenessProbe: { httpGet: { path: "/livez", port: "http" } },
          readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
        });
        expect(ports.filter(({ name: called }) => called === "http")).toHaveLength(1);
      }
    });

    test("every role with several replicas may lose one at a time, and is spread", () => {
      const several = workloads.filter(({ replicas }) => replicas > 1).map(({ role }) => role);
      const budgets = ofKind("PodDisruptionBudget").map((budget) => only(specOf(budget).selector?.matchLabels).role);
      expect(budgets.sort()).toEqual(several.sort());
      for (const { labels, pod } of workloads.filter(({ role }) => several.includes(role))) {
        expect(pod.topologySpreadConstraints?.length).toBeGreaterThan(0);
        for (const { labelSelector } of pod.topologySpreadConstraints ?? [])
          expect(isSelected(labels, labelSelector.matchLabels)).toBe(true);
      }
    });

    test("every pod has a network policy that lets in to its own ports, unless policies are off", () => {
      const policies = ofKind("NetworkPolicy");
      const isOff = name === "small.yaml";
      expect(policies).toHaveLength(isOff ? 0 : workloads.length);
      for (const policy of policies) {
        const { ingress = [], podSelector } = specOf(policy);
        const open = ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
        expect(open.sort()).toEqual([...portNames(only(podSelector?.matchLabels))].sort());
      }
    });

    test("every role that serves is scraped", () => {
      for (const monitor of ofKind("PodMonitor")) {
        const { podMetricsEndpoints = [], selector } = specOf(monitor);
        const serving = workloads.filter((workload) => workload.ports.length > 0);
        for (const workload of serving) {
          expect(isSelected(workload.labels, selector?.matchLabels ?? {})).toBe(true);
          expect(portNames(workload)).toEqual(expect.arrayContaining(podMetricsEndpoints.map(({ port }) => port)));
        }
      }
    });

    test("every binding is of a role and to an account that are there", () => {
      for (const { roleRef, subjects } of objects.filter(({ kind }) => kind.endsWith("Binding"))) {
        const { kind, name: called } = roleRef as { readonly kind: string; readonly name: string };
        expect([called, isThere(kind, called)]).toEqual([called, true]);
        for (const subject of subjects as readonly { readonly kind: string; readonly name: string }[])
          expect(subject.kind !== "ServiceAccount" || isThere("ServiceAccount", subject.name)).toBe(true);
      }
    });

    test("who asks at the proxy may ask the Services that are there, at their ports", () => {
      const named = ofKind("Role")
        .flatMap(
          ({ rules }) =>
            rules as readonly { readonly resources: readonly string[]; readonly resourceNames?: readonly string[] }[],
        )
        .filter(({ resources }) => resources.includes("services/proxy"))
        .flatMap(({ resourceNames = [] }) => resourceNames);
      const served = ofKind("Service").flatMap((service) =>
        (specOf(service).ports ?? []).map(({ port }) => `${service.metadata.name}:${port}`),
      );
      expect(named.filter((one) => !served.includes(one))).toEqual([]);
      expect(served.filter((one) => /^genop-(rest|evidence):/.test(one)).sort()).toEqual([...named].sort());
    });

    test("what the shim asks of the operator is served", () => {
      const urls = workloads
        .flatMap(containersOf)
        .flatMap(({ env = [] }) => env.filter((variable) => variable.name === "OPERATOR_METRICS_URL"));
      for (const { value = "" } of urls) {
        const { hostname, pathname, port } = new URL(value);
        expect(isThere("Service", hostname)).toBe(true);
        expect([pathname, port]).toEqual(["/metrics", "8080"]);
      }
    });

    test("a trial's pods take from its Secret and its ConfigMap what is in there", () => {
      const secrets = workloads
        .flatMap(containersOf)
        .flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []));
      const own = ofKind("Secret")[0] as
        { readonly metadata: { readonly name: string }; readonly stringData: object } | undefined;
      for (const { key, name: called } of secrets.filter((secret) => secret.name === own?.metadata.name))
        expect([called, Object.keys(own?.stringData ?? {})]).toEqual([called, expect.arrayContaining([key])]);
      expect(own === undefined).toBe(name !== "trial.yaml");
    });
  },
);
