// Custom resource definitions of others that the chart can make objects of: HTTPRoute, PrometheusRule, ServiceMonitor. Nothing is compiled.
module pegboard/crds

go 1.26.0

require (
	github.com/prometheus-operator/prometheus-operator v0.94.1
	sigs.k8s.io/gateway-api v1.4.1
)
