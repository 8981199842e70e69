{{- /* What the pods of the service and of the workers have alike. */ -}}
{{- define "spanproof.pod" -}}
terminationGracePeriodSeconds: 60
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- if not .Values.home.volume.enabled }}
# The home is each pod's own: what all hosts must have the same comes from a Secret.
initContainers:
  - name: home
    image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: [sh, -c]
    args:
      - mkdir -m 700 -p "$SPANPROOF_HOME"
        && tar --skip-old-files -xf /secret/home.tar -C "$SPANPROOF_HOME"
    envFrom: [{configMapRef: {name: {{ .Release.Name }}}}]
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts:
      - {name: home, mountPath: /var/lib/spanproof}
      - {name: secret, mountPath: /secret, readOnly: true}
{{- end }}
volumes:
  {{- if .Values.home.volume.enabled }}
  - {name: home, persistentVolumeClaim: {claimName: {{ .Release.Name }}-home}}
  {{- else }}
  - {name: home, emptyDir: {sizeLimit: {{ .Values.home.size }}}}
  - {name: secret, secret: {secretName: {{ .Values.home.secret }}}}
  {{- end }}
{{- end }}
{{- define "spanproof.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
envFrom: [{configMapRef: {name: {{ .Release.Name }}}}]
env:
  - name: SPANPROOF_DATABASE_URL
    valueFrom: {secretKeyRef: {name: {{ .Values.secret }}, key: database-url}}
  - name: SPANPROOF_KEY_PASSPHRASE
    valueFrom: {secretKeyRef: {name: {{ .Values.secret }}, key: key-passphrase}}
  {{- if .Values.blobs.address }}
  - name: AWS_ACCESS_KEY_ID
    valueFrom: {secretKeyRef: {name: {{ .Values.secret }}, key: s3-access-key}}
  - name: AWS_SECRET_ACCESS_KEY
    valueFrom: {secretKeyRef: {name: {{ .Values.secret }}, key: s3-secret-key}}
  {{- end }}
volumeMounts: [{name: home, mountPath: /var/lib/spanproof}]
{{- end }}
