# Watching HTTP endpoints: actuator, Jolokia, Prometheus.

watch-url-wrong = { $source }: “{ $address }” is not an address. Write http://HOST:PORT/PATH or https://….
watch-tls-wrong = TLS cannot be set up: { $reason }.
watch-secret-not-set = { $source }: the environment has no variable { $variable }. Set it, or leave the setting out.
watch-secret-wrong = { $source }: user, password or token hold characters that cannot be sent.
watch-http-unreachable = { $url } cannot be reached: { $reason }.
watch-http-slow = { $url } did not respond within { $seconds } s.
watch-http-too-long = { $url } responds with more than { $mebibytes } MiB; the rest was not read.
watch-http-denied = { $url } refuses access (status { $status }). Set user and password-env, or token-env, for this source, or allow reading it.
watch-http-not-found = { $url } does not exist (status { $status }). Check the address, and whether the endpoint is enabled.
watch-http-status = { $url } responds with status { $status }.
watch-http-no-json = { $url } responds with something other than the expected JSON: { $reason }.
watch-option-no-number = { $source }: { $option } must be a whole number, not “{ $value }”.
watch-series-limit = { $what }: more than { $limit } unknown series; the rest is left out. Raise max-series to keep more.
watch-prometheus-line = { $url }: this line is not a sample in Prometheus' text format: { $line }
watch-actuator-one-by-one = { $url } has no prometheus endpoint: metrics are queried one by one, every { $seconds } s, and fewer of them. Add micrometer-registry-prometheus and expose the endpoint "prometheus".
watch-actuator-not-exposed = { $url }: the endpoint "{ $endpoint }" is not exposed (status { $status }), so the settings in effect cannot be read. Add it to management.endpoints.web.exposure.include.
watch-actuator-masked = { $url } hides the values of settings. Set management.endpoint.configprops.show-values=always (Spring Boot 3 and later) to see the settings in effect.
watch-health-changed = Health of { $component } is now { $status }.
watch-jolokia-nothing = { $url } provides none of the beans that are needed: allow reading java.lang and the web server's beans. On Spring Boot, Tomcat's need server.tomcat.mbeanregistry.enabled=true.
watch-node-level = { $url } is only asked where captures are allowed, since a profiler is switched on in the process for three seconds: add --watch-allow-capture, or `allow: capture` in the plan.
watch-node-none = { $url } lists no Node.js process. Name the address of its inspector, which node --inspect opens, such as http://127.0.0.1:9229.
watch-node-lost = The inspector at { $url } gives no profile: { $reason }.
watch-pprof-level = { $url } is only asked where captures are allowed, since all goroutines stand still while they are counted: add --watch-allow-capture, or `allow: capture` in the plan.
watch-pprof-none = { $url } is no profile of goroutines. Name the address below which net/http/pprof is served, such as http://HOST:6060/debug/pprof.
