# Watching HTTP endpoints: actuator, Jolokia, Prometheus.

watch-url-wrong = { $source }: “{ $address }” is no address. Write http://HOST:PORT/PATH or https://….
watch-tls-wrong = TLS cannot be set up: { $reason }.
watch-secret-not-set = { $source }: the environment has no variable { $variable }. Set it, or leave the setting out.
watch-secret-wrong = { $source }: user, password or token hold characters that cannot be sent.
watch-http-unreachable = { $url } cannot be reached: { $reason }.
watch-http-slow = { $url } did not answer within { $seconds } s.
watch-http-too-long = { $url } answers with more than { $mebibytes } MiB; the rest was not read.
watch-http-denied = { $url } refuses access (status { $status }). Set user and password-env, or token-env, for this source, or allow reading it.
watch-http-not-found = { $url } does not exist (status { $status }). Check the address, and whether the endpoint is switched on.
watch-http-status = { $url } answers with status { $status }.
