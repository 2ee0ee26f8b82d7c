// Package monitoring holds the dashboard and the alert rules against the metrics
// of a gateway: deploy/grafana, deploy/prometheus.
package monitoring
