# The link between a controller and its workers.

link-nobody = Nothing responds on { $subject }.
link-timed-out = { $what }: no response within { $seconds } s.
link-missing = { $what } does not exist (any more).
link-refused = { $what }: the server refused: { $reason }.
link-failed = { $what }: { $reason }.

nats-no-server = No NATS server is given. Give --nats nats://HOST:4222, or set { $variable }.
nats-address = "{ $server }" is not an address of a NATS server. Write nats://HOST:PORT, or tls://HOST:PORT if the connection must be encrypted.
nats-prefix = "{ $prefix }" cannot be a prefix of subjects: write up to 64 letters, digits, - and _, with dots between parts.
nats-several-ways = Several kinds of NATS credentials are given: { $ways }. Give one of them.
nats-half-certificate = A certificate for NATS needs its key, and a key its certificate: give both files, or none.
nats-credentials-file = { $path } cannot be used as credentials of NATS: { $reason }. It must be a file with a JWT and a seed, as "nsc generate creds" writes it.
nats-unusable-seed = The seed for the NATS server { $server } cannot be used: { $reason }. The file of an nkey has one line, a user's seed that begins with SU.
nats-unknown-host = The name of the NATS server { $server } cannot be resolved: { $reason }. Check the name.
nats-silent = The NATS server { $server } does not respond in time. Check the address, the port, and firewalls in between.
nats-unreachable = The NATS server { $server } cannot be reached: { $reason }. Check that it is running, its port, and firewalls in between.
nats-no-nats = What responds at { $server } is not a NATS server: { $reason }. Check the port (the client port is 4222 by default).
nats-wants-to-know = The NATS server { $server } requires credentials. Give user and password, a token, an nkey or a credentials file.
nats-refused = The NATS server { $server } refuses these credentials: { $reason }. Check user and password, token, seed or credentials, and that the server knows them.
nats-not-trusted = The certificate of the NATS server { $server } is not trusted: { $reason }. Give the certificate of the authority that issued it as CA file.
nats-other-name = The certificate of the NATS server { $server } is for another name: { $reason }. Use a name that is in the certificate.
nats-wants-certificate = The NATS server { $server } requires a client certificate from an authority it trusts: { $reason }. Give certificate and key files.
nats-no-tls = No encrypted connection to the NATS server { $server }: { $reason }. Check that it speaks TLS there; if it does not, write nats:// instead of tls://.
nats-unencrypted = Warning: the connection to { $servers } need not be encrypted. Whoever is on the way could read passwords and change orders. Set up TLS on the NATS server, and write tls:// (PLIMSOLL_NATS_CA_FILE: who issued its certificate).
nats-no-jetstream = The NATS server { $server } has no JetStream, or not for this account. Start it with JetStream (-js, or jetstream {"{"} … {"}"} in its configuration) and enable it for the account.

bundle-name = A file in a bundle cannot be named "{ $name }": names are relative, with / between folders, without .. and control characters, up to 255 bytes each part.
bundle-name-twice = "{ $name }" is in the bundle twice, or as a file and a folder.
bundle-too-large = The bundle's files are larger than { $mebibytes } MiB together.
bundle-too-many = The bundle has more than { $limit } files.
bundle-damaged = The bundle is damaged: { $reason }.
bundle-wrong-key = It cannot be decrypted: it was encrypted for another key, or is damaged.
bundle-no-key = This is not a key: it must be 32 bytes.
bundle-no-randomness = The system provides no randomness, which keys need.
bundle-unwritable = { $path } cannot be written: { $reason }.
