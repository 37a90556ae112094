# Why a sample failed. For each kind of error: its short name, what it means,
# and where to look.

error-kind-other = Other error
error-kind-other-meaning = The request failed for a reason that fits none of the other kinds.
error-kind-other-look = Read the sample's message, and run the plan with `plimsoll once` to see the whole exchange.

error-kind-read-timeout = Read timeout
error-kind-read-timeout-meaning = The connection was made, but the response did not come in time: the request queued or ran too long in the server.
error-kind-read-timeout-look = Compare busy and available worker threads and look for slow code, locks and slow queries; raise the timeout only if the wait is expected.

error-kind-connect-timeout = Connect timeout
error-kind-connect-timeout-meaning = No TCP connection was made in time: the accept queue is full, or packets are lost on the way.
error-kind-connect-timeout-look = On the server look at listen queue overflows, SYN retransmits and the accept-count setting; then at firewalls and routes in between.

error-kind-connection-refused = Connection refused
error-kind-connection-refused-meaning = The host replied that nothing accepts connections on that port, or its accept queue is full and set to refuse.
error-kind-connection-refused-look = Check that the process is running and listening on this address and port, and whether it was restarted during the run.

error-kind-connection-closed = Connection closed
error-kind-connection-closed-meaning = The server closed the connection before the first byte of the response, often because it reached a keep-alive limit just as the request was sent.
error-kind-connection-closed-look = Look at the keep-alive timeout, the most requests per connection and the most connections allowed, on the server and on every proxy in front of it.

error-kind-closed-in-body = Closed in the body
error-kind-closed-in-body-meaning = The server stopped before the response was complete.
error-kind-closed-in-body-look = Look in the server's log for an exception or a crash while it was writing, and at timeouts and buffer limits of the proxies.

error-kind-connection-reset = Connection reset
error-kind-connection-reset-meaning = The connection was torn down with a reset instead of an orderly close, often by a load balancer or firewall, or by an overloaded server.
error-kind-connection-reset-look = Compare the idle timeouts of load balancer, firewall and server, and look for restarts and overflows at the moment of the resets.

error-kind-unknown-host = Unknown host
error-kind-unknown-host-meaning = The host name does not resolve to an address.
error-kind-unknown-host-look = Check the spelling of the host, the resolver of the load generator, or give the address in the plan's DNS overrides.

error-kind-illegal-http2-header = Illegal HTTP/2 header
error-kind-illegal-http2-header-meaning = The request carries a header that HTTP/2 forbids, such as Connection, Keep-Alive, Proxy-Connection, Transfer-Encoding, Host or Upgrade.
error-kind-illegal-http2-header-look = Remove that header from the plan, or make the request with HTTP/1.1.

error-kind-no-local-port = No local port
error-kind-no-local-port-meaning = The load generator itself had no free local port for another connection.
error-kind-no-local-port-look = Use keep-alive, ramp up more slowly, widen the local port range, or use more source addresses or load generators.

error-kind-tls-handshake = TLS handshake failed
error-kind-tls-handshake-meaning = Client and server did not agree on an encrypted connection.
error-kind-tls-handshake-look = Check that the port speaks TLS, which protocol versions and ciphers the server accepts, and whether it asks for a client certificate.

error-kind-tls-certificate = Certificate not accepted
error-kind-tls-certificate-meaning = The server's certificate is expired, made for another name, or signed by an authority that is not trusted here.
error-kind-tls-certificate-look = Correct the certificate, name its authority in the plan, or switch verification off for a test system.

error-kind-malformed-response = Malformed response
error-kind-malformed-response-meaning = What came back is not valid by its protocol: no HTTP response, no stream of events, or no WebSocket frames.
error-kind-malformed-response-look = Check that host and port speak HTTP without TLS, and look at the response with `plimsoll once`.

error-kind-header-limit = Headers too large
error-kind-header-limit-meaning = The response's headers exceed the limit in number or size.
error-kind-header-limit-look = Look for cookies or headers that grow with each request; raise the limit only if such headers are intended.

error-kind-body-limit = Body too large
error-kind-body-limit-meaning = The response's body exceeds the limit.
error-kind-body-limit-look = Check whether the request asks for more than intended, or raise the limit in the plan.

error-kind-decoding = Body not decodable
error-kind-decoding-meaning = The body could not be decompressed as its Content-Encoding says, or could not be read in its character set.
error-kind-decoding-look = Compare the Content-Encoding and Content-Type headers with the body that is sent, also behind proxies that compress.

error-kind-redirect-loop = Too many redirects
error-kind-redirect-loop-meaning = The request was redirected more often than allowed, most likely in a loop.
error-kind-redirect-loop-look = Follow the Location headers with `plimsoll once`; a missing login or cookie is the usual cause.

error-kind-proxy = Proxy failed
error-kind-proxy-meaning = The proxy of the plan could not be reached, or refused the request.
error-kind-proxy-look = Check the proxy's address and credentials, and its log.

error-kind-out-of-file-descriptors = Out of file descriptors
error-kind-out-of-file-descriptors-meaning = The load generator may not open any more files or connections.
error-kind-out-of-file-descriptors-look = Raise the limit of open files (ulimit -n) on the load generator, or use fewer connections.

error-kind-check-failed = Check failed
error-kind-check-failed-meaning = The response came, but a check of the plan did not hold.
error-kind-check-failed-look = The sample's message names the check and what it saw; under load, an error page with status 200 is a common cause.

error-kind-http-status = HTTP error status
error-kind-http-status-meaning = The response came with a status of 400 or more, and no check of the plan says that this is right.
error-kind-http-status-look = The status and the body say why: the samples of the failure show both. Look in the server's log at that time; 502, 503 and 504 often come from a proxy in front of it. If the status is meant, say so: check: {"{"}status: 404{"}"}.

error-kind-host-not-allowed = Host not allowed
error-kind-host-not-allowed-meaning = The request went to a host that may not be loaded: neither the plan nor the command allows it (for instance behind a redirect), or it is not in the workbench’s list of hosts.
error-kind-host-not-allowed-look = If you may load that host, add it with --allow-host; in the workbench an administrator adds it to the hosts in Settings. Otherwise correct the link or redirect that leads to it.

error-kind-network = Network error
error-kind-network-meaning = The network could not carry the request: no route, network down, or another I/O error.
error-kind-network-look = The sample's message has the system's error; check interface, route and firewall of the load generator.

error-kind-script-failed = Script failed
error-kind-script-failed-meaning = A script or expression of the plan ended with an error.
error-kind-script-failed-look = The sample's message has the script's error and line; run the plan with `plimsoll once` to see its variables.

error-kind-cut-off = Cut off
error-kind-cut-off-meaning = The sample was still without a response when the run was stopped, or when its grace time was over; JMeter records such samples as failed.
error-kind-cut-off-look = Look at the response times before the end: how long do responses take? A timeout in the plan ends samples that never get one.
