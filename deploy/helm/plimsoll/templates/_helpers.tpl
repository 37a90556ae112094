{{- define "plimsoll.labels" -}}
app.kubernetes.io/name: plimsoll
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "plimsoll.nats" -}}
{{- if .Values.nats.enabled -}}
{{- range $i := until (int .Values.nats.servers) }}{{ if $i }},{{ end }}nats://{{ $.Release.Name }}-nats-{{ $i }}.{{ $.Release.Name }}-nats:4222{{ end -}}
{{- else -}}
{{ required "nats.address must be given if nats.enabled is false" .Values.nats.address }}
{{- end -}}
{{- end }}

{{- /* What containers of Plimsoll itself have alike; user: who they are for NATS. */ -}}
{{- define "plimsoll.container" -}}
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
env:
  - name: PLIMSOLL_NATS
    value: {{ include "plimsoll.nats" .root | quote }}
  - name: PLIMSOLL_NATS_USER
    value: {{ .user }}
  - name: PLIMSOLL_NATS_PASSWORD_FILE
    value: /secrets/{{ .user }}-password
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "plimsoll.passwords" -}}
- name: secrets
  secret:
    secretName: {{ .root.Values.passwordsSecret }}
    defaultMode: 0440
    items:
      - key: {{ .user }}-password
        path: {{ .user }}-password
{{- end }}

{{- /* All local ports for connections; the number of open files is the container runtime's. */ -}}
{{- define "plimsoll.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
  sysctls:
    - name: net.ipv4.ip_local_port_range
      value: "1024 65535"
{{- end }}
