# Watching HTTP endpoints: actuator, Jolokia, Prometheus.
