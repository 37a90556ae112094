# 监控 HTTP 端点：actuator、Jolokia、Prometheus。

watch-url-wrong = { $source }：“{ $address }”不是地址。请写成 http://HOST:PORT/PATH 或 https://…。
watch-tls-wrong = 无法设置 TLS：{ $reason }。
watch-secret-not-set = { $source }：环境变量 { $variable } 未设置。请设置它，或去掉该设置项。
watch-secret-wrong = { $source }：用户名、密码或令牌含有无法发送的字符。
watch-http-unreachable = 无法访问 { $url }：{ $reason }。
watch-http-slow = { $url } 在 { $seconds } 秒内没有响应。
watch-http-too-long = { $url } 的响应超过 { $mebibytes } MiB；其余部分未读取。
watch-http-denied = { $url } 拒绝访问（状态 { $status }）。请为该数据源设置 user 与 password-env，或 token-env，或允许读取。
watch-http-not-found = { $url } 不存在（状态 { $status }）。请检查地址，以及该端点是否已启用。
watch-http-status = { $url } 的响应状态为 { $status }。
watch-http-no-json = { $url } 的响应不是预期的 JSON：{ $reason }。
watch-option-no-number = { $source }：{ $option } 应为整数，而不是“{ $value }”。
watch-series-limit = { $what }：未列入对照表的指标序列超过 { $limit } 个，其余已略去。可调大 max-series 以保留更多。
watch-prometheus-line = { $url }：此行不是 Prometheus 文本格式的样本：{ $line }
watch-actuator-one-by-one = { $url } 没有 prometheus 端点：只能每 { $seconds } 秒逐个读取较少的指标。请加入 micrometer-registry-prometheus 并开放端点“prometheus”。
watch-actuator-not-exposed = { $url }：端点“{ $endpoint }”未开放（状态 { $status }），无法读取生效的设置。请将其加入 management.endpoints.web.exposure.include。
watch-actuator-masked = { $url } 隐藏了设置的值。请设置 management.endpoint.configprops.show-values=always（Spring Boot 3 及以上）以查看生效的设置。
watch-health-changed = 健康状态 { $component } 现为 { $status }。
watch-jolokia-nothing = { $url } 没有给出所查找的任何 MBean：请允许读取 java.lang 及 Web 服务器的 MBean。在 Spring Boot 上，Tomcat 的 MBean 需要 server.tomcat.mbeanregistry.enabled=true。
watch-node-level = 只有允许采样快照时才会连接 { $url }，因为会在该进程中开启三秒的剖析器：请加 --watch-allow-capture，或在测试计划中写 `allow: capture`。
watch-node-none = { $url } 没有列出Node.js进程。请给出 node --inspect 所开放的inspector地址，例如 http://127.0.0.1:9229。
watch-node-lost = { $url } 的inspector没有给出剖析数据：{ $reason }。
watch-pprof-level = 只有允许采样快照时才会请求 { $url }，因为统计时所有goroutine都会停住：请加 --watch-allow-capture，或在测试计划中写 `allow: capture`。
watch-pprof-none = { $url } 不是goroutine的剖析数据。请给出 net/http/pprof 所在的地址，例如 http://HOST:6060/debug/pprof。
