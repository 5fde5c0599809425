{{/*
What all roles have in common, each said once. A role is told as a dict: root, role, args, env (text), resources, and where it
has them ports (name to number; `http` has the probes and metrics), account (its ServiceAccount) and graceSeconds.
*/}}

{{- define "genop.roleName" -}}
{{ include "genop.name" .root }}{{ if ne .role "operator" }}-{{ .role }}{{ end }}
{{- end }}

{{- define "genop.metadata" -}}
name: {{ include "genop.roleName" . }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "genop.labels" . | nindent 2 }}
{{- end }}

{{/* The template of a pod, as it stands in a Deployment or a Job. */}}
{{- define "genop.pod" -}}
{{- $pods := .root.Values.pods -}}
metadata:
  labels: {{- include "genop.labels" . | nindent 4 }}
  annotations:
    kubectl.kubernetes.io/default-container: {{ .role }}
    {{- with $pods.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- if .account }}
  serviceAccountName: {{ .account }}
  {{- else }}
  automountServiceAccountToken: false
  {{- end }}
  enableServiceLinks: false
  {{- with .graceSeconds }}
  terminationGracePeriodSeconds: {{ . }}
  {{- end }}
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  securityContext: {{- include "genop.podSecurity" .root | nindent 4 }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - { name: {{ . }} }
    {{- end }}
  {{- end }}
  {{- with $pods.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- range $field := list "nodeSelector" "tolerations" "affinity" }}
  {{- with index $pods $field }}
  {{ $field }}: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- if .ports }}
  topologySpreadConstraints:
    {{- with $pods.topologySpreadConstraints }}
    {{- toYaml . | nindent 4 }}
    {{- else }}
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "genop.selector" $ | nindent 10 }}
    {{- end }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .role }}
      image: {{ include "genop.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: {{- toYaml .args | nindent 8 }}
      {{- with .ports }}
      ports:
        {{- range $name, $number := . }}
        - { name: {{ $name }}, containerPort: {{ $number }} }
        {{- end }}
      {{- end }}
      env: {{- .env | nindent 8 }}
      {{- if .ports }}
      startupProbe: { httpGet: { path: /livez, port: http }, periodSeconds: 1, failureThreshold: 60 }
      livenessProbe: { httpGet: { path: /livez, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
      readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 2, timeoutSeconds: 2 }
      {{- end }}
      resources: {{- toYaml .resources | nindent 8 }}
      securityContext: {{- include "genop.containerSecurity" .root | nindent 8 }}
      volumeMounts: [{ name: tmp, mountPath: /tmp }]
  volumes:
    # For what Node or a library may want: the program writes no file.
    - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
{{- end }}

{{/* The Deployment of a role that serves, and its budget of disruptions. Also takes replicas. */}}
{{- define "genop.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata: {{- include "genop.metadata" . | nindent 2 }}
spec:
  replicas: {{ .replicas }}
  # The new pod works before the old one is told to end.
  strategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  selector:
    matchLabels: {{- include "genop.selector" . | nindent 6 }}
  template: {{- include "genop.pod" . | nindent 4 }}
{{- if and .root.Values.podDisruptionBudget.enabled (gt (int .replicas) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{- include "genop.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "genop.selector" . | nindent 6 }}
{{- end }}
{{- end }}

{{/* Who may reach a role's pods and whom they may reach. Takes root, role, in (port names) and out (texts of egress rules). */}}
{{- define "genop.networkPolicy" -}}
{{- if .root.Values.networkPolicy.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "genop.metadata" . | nindent 2 }}
  {{- if .hook }}
  {{- include "genop.hook" (dict "root" .root "weight" "-10") | nindent 2 }}
  {{- end }}
spec:
  podSelector:
    matchLabels: {{- include "genop.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- with .in }}
  ingress:
    - ports:
        {{- range . }}
        - { port: {{ . }} }
        {{- end }}
  {{- end }}
  egress:
    {{- range .out }}
    {{- include (printf "genop.to.%s" .) $.root | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}

{{- define "genop.to.dns" -}}
- ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
{{- end }}

{{/* Whose addresses no policy can know: it is told by its ports. */}}
{{- define "genop.to.apiServer" -}}
- ports:
    {{- range .Values.networkPolicy.apiServerPorts }}
    - { port: {{ . }} }
    {{- end }}
{{- end }}

{{- define "genop.to.database" -}}
- ports: [{ port: {{ if .Values.trial }}5432{{ else }}{{ .Values.networkPolicy.databasePort }}{{ end }} }]
{{- end }}

{{- define "genop.to.operator" -}}
- to:
    - podSelector:
        matchLabels: {{- include "genop.selector" (dict "root" . "role" "operator") | nindent 10 }}
  ports: [{ port: http }]
{{- end }}

{{/* Everything but the addresses at which clouds give credentials away. */}}
{{- define "genop.to.world" -}}
- to:
    - ipBlock: { cidr: 0.0.0.0/0, except: [169.254.169.254/32] }
    - ipBlock: { cidr: "::/0", except: ["fd00:ec2::254/128"] }
{{- end }}

{{/* A Service of a fixed name, by which the plugin, scrapes and other roles find it. Takes root, role, name, port and target. */}}
{{- define "genop.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "genop.labels" . | nindent 4 }}
spec:
  {{- if .headless }}
  clusterIP: None
  {{- end }}
  selector: {{- include "genop.selector" . | nindent 4 }}
  ports: [{ name: {{ .target }}, port: {{ .port }}, targetPort: {{ .target }} }]
{{- end }}
