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
watch-http-no-json = { $url } answers with something that is not the JSON expected: { $reason }.
watch-option-no-number = { $source }: { $option } is a whole number, not “{ $value }”.
watch-series-limit = { $what }: more than { $limit } series that no table knows; the rest is left out. Raise max-series to keep more.
watch-prometheus-line = { $url }: this line is no sample of Prometheus' text format: { $line }
watch-actuator-one-by-one = { $url } has no prometheus endpoint: metrics are asked for one by one, every { $seconds } s, and fewer of them. Add micrometer-registry-prometheus and expose the endpoint "prometheus".
watch-actuator-not-exposed = { $url }: the endpoint "{ $endpoint }" is not open (status { $status }), so settings in force cannot be read. Add it to management.endpoints.web.exposure.include.
watch-actuator-masked = { $url } hides the values of settings. Set management.endpoint.configprops.show-values=always (Spring Boot 3 and later) to see which settings are in force.
watch-health-changed = Health { $component } is { $status } now.
watch-jolokia-nothing = { $url } gives none of the beans that are looked for: allow reading java.lang and the web server's beans. On Spring Boot, Tomcat's need server.tomcat.mbeanregistry.enabled=true.
