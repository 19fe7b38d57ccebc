{{- define "pegboard.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "pegboard.fullname" -}}
{{- $name := include "pegboard.name" . }}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "pegboard.selector" -}}
app.kubernetes.io/name: {{ include "pegboard.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pegboard.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "pegboard.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "pegboard.image" -}}
{{- if .Values.image.digest }}{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}{{ end }}
{{- end }}

{{- /* Whether there may be more than one replica. */ -}}
{{- define "pegboard.isReplicated" -}}
{{- if .Values.autoscaling.enabled }}{{ if gt (int .Values.autoscaling.maxReplicas) 1 }}yes{{ end }}
{{- else if gt (int .Values.replicas) 1 }}yes{{ end }}
{{- end }}

{{- define "pegboard.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "pegboard.fullname" .) }}
{{- end }}

{{- define "pegboard.definitionsNamespace" -}}
{{- .Values.definitionsNamespace | default .Release.Namespace }}
{{- end }}

{{- define "pegboard.keysSecret" -}}
{{- .Values.keys.existingSecret | default (printf "%s-keys" (include "pegboard.fullname" .)) }}
{{- end }}

{{- /* MB of the heap: 60 % of the memory limit; Node.js itself would take half, and without a limit that of the machine. Empty without a limit. */ -}}
{{- define "pegboard.heapMb" -}}
{{- with (.Values.resources.limits | default dict).memory }}
{{- $quantity := toString . }}
{{- $unit := regexReplaceAll "^[0-9.e+]+" $quantity "" }}
{{- $mib := get (dict "" 0.00000095367431640625 "k" 0.00095367431640625 "Ki" 0.0009765625 "M" 0.95367431640625 "Mi" 1.0 "G" 953.67431640625 "Gi" 1024.0) $unit }}
{{- if $mib }}{{ mulf (trimSuffix $unit $quantity | float64) $mib 0.6 | floor | int }}{{ end }}
{{- end }}
{{- end }}

{{- /* The subjects of a role for editors, for people. */ -}}
{{- define "pegboard.who" -}}
{{- $names := .groups }}
{{- if not $names }}{{ range .subjects }}{{ $names = append $names (printf "%s %s" (lower .kind) .name) }}{{ end }}{{ end }}
{{- if and .enabled $names }}{{ join ", " $names }}{{ else }}no role of this chart allows it{{ end }}
{{- end }}

{{- define "pegboard.host" -}}
{{- (urlParse .Values.url).hostname }}
{{- end }}

{{- /* config.yaml: what the chart sets, and .Values.config over it. */ -}}
{{- define "pegboard.config" -}}
{{- $name := include "pegboard.fullname" . }}
{{- $service := printf "%s.%s" $name .Release.Namespace }}
{{- $names := list $name $service (printf "%s.svc" $service) (printf "%s.svc.cluster.local" $service) }}
{{- $config := dict
  "orchestrator" true
  "namespace" (include "pegboard.definitionsNamespace" .)
  "aggregator" (dict "host" "0.0.0.0" "port" 8090)
  "plugins" (dict "http" (dict "config" (dict
    "drainMs" .Values.drainMs
    "allowedHosts" $names)))
}}
{{- with .Values.namespaces }}
{{- $_ := set $config.plugins "store-kubernetes" (dict "config" (dict "namespaces" .)) }}
{{- end }}
{{- if .Values.pods.enabled }}
{{- $pods := dict "image" (include "pegboard.image" .) "gatewayLabels" (dict "app.kubernetes.io/name" (include "pegboard.name" .) "app.kubernetes.io/instance" .Release.Name) }}
{{- if ne (include "pegboard.definitionsNamespace" .) .Release.Namespace }}{{ $_ := set $pods "gatewayNamespace" .Release.Namespace }}{{ end }}
{{- $_ := set $config.plugins "pods" (dict "config" $pods) }}
{{- end }}
{{- if .Values.metrics.enabled }}
{{- $_ := set $config.plugins "metrics" (dict "config" (dict "allowedHosts" $names)) }}
{{- end }}
{{- if .Values.signIn.enabled }}
{{- $idp := dict
  "issuerUrl" .Values.signIn.issuerUrl
  "clientId" .Values.signIn.clientId
  "clientSecretFile" "/etc/pegboard-secrets/sign-in/client-secret"
}}
{{- $server := dict "enabled" true "baseUrl" .Values.url "resourceIdentifier" (printf "%s/mcp" .Values.url) "idp" $idp }}
{{- $_ := set $config.aggregator "oauth" (dict
  "server" $server
  "mcpClient" (dict "enabled" true "publicUrl" .Values.url))
}}
{{- $_ := set $config "required" (list "auth-server") }}
{{- end }}
{{- if .Values.redis.url }}
{{- $redis := dict "url" .Values.redis.url }}
{{- if .Values.redis.password }}{{ $_ := set $redis "password" "${env:PEGBOARD_REDIS_PASSWORD}" }}{{ end }}
{{- if .Values.redis.cluster }}{{ $_ := set $redis "cluster" true }}{{ end }}
{{- with .Values.redis.sentinel }}
{{- if .master }}{{ $_ := set $redis "sentinelMaster" .master }}{{ end }}
{{- if .password }}{{ $_ := set $redis "sentinelPassword" "${env:PEGBOARD_SENTINEL_PASSWORD}" }}{{ end }}
{{- end }}
{{- $_ := set $config.plugins "vault-file" false }}
{{- $_ := set $config.plugins "vault-redis" (dict "config" $redis) }}
{{- end }}
{{- toYaml (mergeOverwrite $config (deepCopy .Values.config)) }}
{{- end }}
