{{/* Names and labels, each said once. */}}

{{- define "genop.name" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "genop.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "genop.labels" -}}
{{ include "genop.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "genop.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{- define "genop.databaseSecret" -}}
{{- if .Values.trial }}{{ include "genop.name" . }}-trial{{ else }}{{ .Values.database.secretName }}{{ end }}
{{- end }}

{{/* Whether a role runs: switched on, or in a trial, which shows all that needs nothing from outside. */}}
{{- define "genop.runs" -}}
{{- if or (index .root.Values .role).enabled (and .root.Values.trial (ne .role "receiver")) }}true{{ end }}
{{- end }}

{{/* What every pod of ours is: nobody, with nothing to write to. */}}
{{- define "genop.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "genop.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
