# 监控 HTTP 端点：actuator、Jolokia、Prometheus。
