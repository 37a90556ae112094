{{- define "plimsoll.labels" -}}
app.kubernetes.io/name: plimsoll
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "plimsoll.nats" -}}
{{- if .Values.nats.enabled -}}
{{- range $i := until (int .Values.nats.servers) }}{{ if $i }},{{ end }}tls://{{ $.Release.Name }}-nats-{{ $i }}.{{ $.Release.Name }}-nats:4222{{ end -}}
{{- else -}}
{{ required "nats.address must be given if nats.enabled is false" .Values.nats.address }}
{{- end -}}
{{- end }}

{{- /* An image by its digest, if that is given; name: what it is called in the values. */ -}}
{{- define "plimsoll.image" -}}
{{- if .image.digest -}}
{{- if not (regexMatch "^sha256:[0-9a-f]{64}$" .image.digest) }}{{ fail (printf "%s.digest must be sha256: and 64 hexadecimal digits" .name) }}{{ end -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{- if .root.Values.requireDigests }}{{ fail (printf "%s.digest must be given, since requireDigests is true" .name) }}{{ end -}}
{{ .image.repository }}:{{ .image.tag }}
{{- end -}}
{{- end }}

{{- /* What containers of Plimsoll itself have alike; user: who they are for NATS. */ -}}
{{- define "plimsoll.container" -}}
image: {{ include "plimsoll.image" (dict "root" .root "image" .root.Values.image "name" "image") | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
env:
  - name: PLIMSOLL_NATS
    value: {{ include "plimsoll.nats" .root | quote }}
  - name: PLIMSOLL_NATS_USER
    value: {{ .user }}
  - name: PLIMSOLL_NATS_PASSWORD_FILE
    value: /secrets/{{ .user }}-password
  {{- if .root.Values.nats.enabled }}
  - name: PLIMSOLL_NATS_CA_FILE
    value: /secrets/ca.crt
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- /* One's own password, and who issued NATS's certificate; never its key. */ -}}
{{- define "plimsoll.secrets" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ .root.Values.passwordsSecret }}
          items:
            - key: {{ .user }}-password
              path: {{ .user }}-password
      {{- if .root.Values.nats.enabled }}
      - secret:
          name: {{ .root.Values.nats.tlsSecret }}
          items:
            - key: ca.crt
              path: ca.crt
      {{- end }}
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
