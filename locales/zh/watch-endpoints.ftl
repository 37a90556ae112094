# 监控 HTTP 端点：actuator、Jolokia、Prometheus。

watch-url-wrong = { $source }：“{ $address }”不是地址。请写成 http://HOST:PORT/PATH 或 https://…。
watch-tls-wrong = 无法设置 TLS：{ $reason }。
watch-secret-not-set = { $source }：环境变量 { $variable } 未设置。请设置它，或去掉该设置项。
watch-secret-wrong = { $source }：用户名、密码或令牌含有无法发送的字符。
watch-http-unreachable = 无法访问 { $url }：{ $reason }。
watch-http-slow = { $url } 在 { $seconds } 秒内没有应答。
watch-http-too-long = { $url } 的应答超过 { $mebibytes } MiB；其余部分未读取。
watch-http-denied = { $url } 拒绝访问（状态 { $status }）。请为该来源设置 user 与 password-env，或 token-env，或允许读取。
watch-http-not-found = { $url } 不存在（状态 { $status }）。请检查地址，以及该端点是否已启用。
watch-http-status = { $url } 的应答状态为 { $status }。
