{{/* The store as a role reaches it. The shim's is the one that stands in signed URLs: in a trial, what a port-forward opens. */}}
{{- define "genop.storeEndpoint" -}}
{{- $inCluster := .root.Values.objectStore.endpoint -}}
{{- if .root.Values.trial -}}{{- $inCluster = printf "http://%s-trial-store:7070" (include "genop.name" .root) -}}{{- end -}}
{{- if ne .role "shim" -}}{{ $inCluster }}
{{- else -}}{{ .root.Values.shim.objectStoreEndpoint | default (ternary "http://localhost:7070" $inCluster .root.Values.trial) }}
{{- end -}}
{{- end }}

{{- define "genop.storeSecret" -}}
{{- $secret := .root.Values.objectStore.secretName -}}
{{- if eq .role "shim" -}}{{- $secret = .root.Values.shim.objectStoreSecretName | default $secret -}}{{- end -}}
{{ ternary (printf "%s-trial" (include "genop.name" .root)) $secret .root.Values.trial }}
{{- end }}

{{- define "genop.storeEnv" -}}
{{- $trial := .root.Values.trial -}}
{{- $store := .root.Values.objectStore -}}
- { name: S3_BUCKET, value: {{ ternary "genop" $store.bucket $trial | quote }} }
- { name: S3_REGION, value: {{ $store.region | quote }} }
- { name: S3_FORCE_PATH_STYLE, value: {{ or $trial $store.forcePathStyle | quote }} }
{{- with include "genop.storeEndpoint" . }}
- { name: S3_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- with $store.prefix }}
- { name: S3_PREFIX, value: {{ . | quote }} }
{{- end }}
{{- with include "genop.storeSecret" . }}
- { name: AWS_ACCESS_KEY_ID, valueFrom: { secretKeyRef: { name: {{ . }}, key: accessKeyID } } }
- { name: AWS_SECRET_ACCESS_KEY, valueFrom: { secretKeyRef: { name: {{ . }}, key: secretAccessKey } } }
{{- end }}
{{- end }}
