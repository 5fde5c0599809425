{{- define "genop.objectStoreEnv" -}}
{{- $store := .Values.objectStore -}}
{{- if .Values.trial -}}
- { name: S3_BUCKET, value: genop }
- { name: S3_ENDPOINT, value: http://{{ include "genop.name" . }}-trial-store:7070 }
- { name: S3_FORCE_PATH_STYLE, value: "true" }
{{- else -}}
- { name: S3_BUCKET, value: {{ $store.bucket | quote }} }
- { name: S3_FORCE_PATH_STYLE, value: {{ $store.forcePathStyle | quote }} }
{{- with $store.endpoint }}
- { name: S3_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- with $store.prefix }}
- { name: S3_PREFIX, value: {{ . | quote }} }
{{- end }}
- { name: S3_REGION, value: {{ $store.region | quote }} }
- { name: S3_CHECKSUMS, value: {{ $store.checksums }} }
{{- with include "genop.objectStoreSecret" . }}
- { name: AWS_ACCESS_KEY_ID, valueFrom: { secretKeyRef: { name: {{ . }}, key: accessKeyID } } }
- { name: AWS_SECRET_ACCESS_KEY, valueFrom: { secretKeyRef: { name: {{ . }}, key: secretAccessKey } } }
{{- end }}
{{- end }}
