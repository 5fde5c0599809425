// The pods inside of rendered objects.
import type { Rendered } from "./helm.ts";

export type Labels = Readonly<Record<string, string>>;

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

export interface Port {
  readonly name: string;
  readonly containerPort: number;
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly ports?: readonly Port[];
  readonly securityContext?: unknown;
  readonly resources?: { readonly limits?: { readonly memory?: string } };
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly topologySpreadConstraints?: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[];
}

interface Template {
  readonly metadata: { readonly labels: Labels };
  readonly spec: PodSpec;
}

interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels: Labels };
  readonly template?: Template;
  readonly jobTemplate?: { readonly spec: { readonly template: Template } };
}

/** What has pods: a Deployment, a Job or a CronJob. */
export interface Workload {
  readonly object: Rendered;
  readonly role: string;
  readonly replicas: number;
  readonly selector: Labels | undefined;
  readonly labels: Labels;
  readonly pod: PodSpec;
  readonly ports: readonly Port[];
}

export function workloadsIn(objects: readonly Rendered[]): readonly Workload[] {
  return objects.flatMap((object) => {
    const spec = object.spec as WorkloadSpec | undefined;
    const template = spec?.template ?? spec?.jobTemplate?.spec.template;
    return template ? [workloadOf(object, spec ?? {}, template)] : [];
  });
}

function workloadOf(object: Rendered, spec: WorkloadSpec, { metadata, spec: pod }: Template): Workload {
  return {
    ...{ object, pod, labels: metadata.labels },
    role: metadata.labels["app.kubernetes.io/component"] ?? "",
    replicas: spec.replicas ?? 1,
    selector: spec.selector?.matchLabels,
    ports: pod.containers.flatMap(({ ports = [] }) => ports),
  };
}

export function isSelected(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** The container of a role's pod, of objects that have that role. */
export function containerOf(objects: readonly Rendered[], role: string): Container {
  const [container] = workloadsIn(objects).find((workload) => workload.role === role)?.pod.containers ?? [];
  if (!container) throw new Error(`there is no pod of the role ${role}`);
  return container;
}

export function containersOf({ pod }: Workload): readonly Container[] {
  return [...(pod.initContainers ?? []), ...pod.containers];
}
