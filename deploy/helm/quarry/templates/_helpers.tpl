{{- define "quarry.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}

{{- define "quarry.labels" -}}
app.kubernetes.io/name: quarry
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "quarry.peers" -}}
{{- $name := include "quarry.name" . -}}
{{- range $i := until (int .Values.gateway.replicas) -}}
{{- if $i }},{{ end }}http://{{ $name }}-gateway-{{ $i }}.{{ $name }}-peers.{{ $.Release.Namespace }}:3456
{{- end -}}
{{- end -}}

{{- define "quarry.pod" -}}
{{- with .Values.serviceAccount.name }}
serviceAccountName: {{ . }}
{{- end }}
automountServiceAccountToken: {{ .Values.serviceAccount.mountToken }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "quarry.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{- define "quarry.env" -}}
- name: QUARRY_DATABASE
  valueFrom: {secretKeyRef: {name: {{ required "database.secret must name the secret with the URL of the database" .Values.database.secret }}, key: {{ .Values.database.key }}}}
- name: QUARRY_SNAPSHOTS
  value: {{ required "snapshots must say where the snapshots are" .Values.snapshots | quote }}
{{- with .Values.store }}
{{- if .secret }}
- name: AWS_ACCESS_KEY_ID
  valueFrom: {secretKeyRef: {name: {{ .secret }}, key: {{ .accessKey }}}}
- name: AWS_SECRET_ACCESS_KEY
  valueFrom: {secretKeyRef: {name: {{ .secret }}, key: {{ .secretKey }}}}
{{- end }}
{{- end }}
{{- end -}}
