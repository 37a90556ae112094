# The agent on a target's host, and the way to it.

agent-listens = The agent listens on { $address }. It allows: { $level }.
agent-listens-tls = Fingerprint of its certificate: { $fingerprint }
agent-listens-open = Whoever may connect from this host may ask it: give it a token to change that.
agent-connected = { $peer }: a controller is connected.
agent-disconnected = { $peer }: the controller has left.
agent-refused = { $peer }: refused. { $reason }
agent-connection-broken = { $peer }: the connection broke: { $reason }.
agent-stops = The agent ends.

agent-cannot-listen = The agent cannot listen on { $address }: { $reason }. Choose another port with --listen HOST:PORT.
agent-needs-token = To listen on { $address }, beyond loopback, the agent needs a token of at least { $least } characters. Write one to a file that only you can read (head -c 32 /dev/urandom | base64 > agent.token) and give --token-file agent.token, or set { $variable }.
agent-token-unusable = The token of { $place } cannot be used: it must be one line of 1 to { $most } characters.
agent-certificate-failed = No certificate could be made: { $reason }.
agent-certificate-broken = { $path } cannot be used: { $reason }. Remove it, and a new certificate is made; controllers then need its fingerprint.
agent-key-open = { $path } can be read by others. Remove it and its certificate, or allow only its owner to read it (chmod 600).
agent-file-unwritable = { $path } cannot be written: { $reason }.

agent-address = "{ $address }" is no address of an agent. Write HOST:PORT for an agent on this host, tls://HOST:PORT for one elsewhere.
agent-tls-needed = { $address }: an agent on another host speaks TLS. Write tls://{ $address }, and the fingerprint that the agent printed.
agent-fingerprint-needed = { $address }: give the fingerprint that the agent printed when it began (option fingerprint).
agent-fingerprint-form = { $address }: a fingerprint is sha256: and 64 hexadecimal digits, as the agent printed it.
agent-fingerprint-unused = { $address }: a fingerprint goes with TLS. Write tls://{ $address }, or leave the fingerprint out.
agent-fingerprint-wrong = { $address } shows another certificate than that with the fingerprint { $fingerprint }. Compare it with what the agent printed: it may have a new certificate, be another agent, or somebody stands between.
agent-tls = { $address }: no encrypted connection: { $reason }. Check that the agent speaks TLS there.
agent-unreachable = The agent { $address } cannot be reached: { $reason }. Check that it runs, its port, and firewalls between.
agent-link-broken = The connection to the agent { $address } broke: { $reason }.
agent-no-agent = { $address } does not answer as an agent does: { $reason }. Check the port, and whether it needs tls://.
agent-confused = an answer to another question
agent-refuses = The agent { $address } refuses: { $reason }

agent-version = It speaks version { $ours } of the protocol, and the controller version { $theirs }: use the same version of Plimsoll on both hosts.
agent-token-missing = It wants a token: give it in a file (token-file) or in the environment (PLIMSOLL_AGENT_TOKEN).
agent-token-wrong = The token is not its token.
agent-busy = { $most } connections are open already.
agent-busy-sessions = { $most } controllers watch already.
agent-hello-first = A connection begins with hello.
agent-hello-again = Hello was said already.
agent-not-understood = The request is not understood.
agent-no-session = That session has ended.
agent-cannot-watch = It cannot begin to watch: { $reason }.

agent-source-chained = Source "{ $source }": an agent does not ask further agents. Watch them from the controller.
agent-source-option = Source "{ $source }": the setting "{ $option }" cannot be given to an agent from outside; these can: { $known }. Others go with --watch on the agent's own command line.
agent-source-address = Source "{ $source }": from outside an agent takes addresses as HOST:PORT, a URL, or a port or process number, and no files. Files go with --watch on the agent's own command line.
agent-source-remote = Source "{ $source }": { $host } is not the agent's own host. Start the agent with --allow-remote-sources to allow that, or watch it from the controller.

agent-level = The agent { $address } only observes: dumps, histograms and profiles are missing. Start it with --allow capture to have them.
agent-anew = The agent { $address } was restarted, or out of reach for too long: it is watched anew, and what happened between is missing.
agent-lost = The agent { $address } was out of reach for longer than it keeps what it sees: { $looks } of its entries are lost.
agent-clock-off = The clock of the agent { $address } differs by { $offset_ms } ms (± { $error_ms } ms). Its times are corrected by that.
agent-too-many-series = More than { $most } series: further ones are left out.
agent-no-captures = No captures of the agent { $address }: it cannot be reached.
