# What this host allows, what that costs the user, and what mends it (plimsoll doctor).

doctor-head = { $host }, as Plimsoll { $version } sees it
doctor-sum = { $bad ->
        [0] Nothing here makes runs fail.
        [one] One thing here makes runs fail or their figures wrong.
       *[other] { $bad } things here make runs fail or their figures wrong.
    } { $limited ->
        [0] Nothing is limited.
        [one] One thing is limited.
       *[other] { $limited } things are limited.
    }
doctor-until-restart = What sysctl -w sets holds until the host restarts: to keep it, write it into a file in /etc/sysctl.d.
doctor-grade-good = good
doctor-grade-unused = unused
doctor-grade-unknown = unknown
doctor-grade-limited = limited
doctor-grade-bad = bad
doctor-unseen = The kernel does not say it here.
doctor-refused = refused: { $reason }.
doctor-reason = { $reason }

doctor-packets = Packets
doctor-packets-good = their headers may be read.
doctor-packets-costs = Without root or CAP_NET_RAW the capture “wire” is left out: requests between the target's processes are not told, and the account of the response time has a larger part that nobody saw.
doctor-processes = Other users' processes
doctor-processes-good = { $there ->
        [0] there are none now; they could be looked into.
       *[other] all { $there } of them may be looked into.
    }
doctor-processes-says = { $readable } of { $there } may be looked into.
doctor-processes-costs = Without root or CAP_SYS_PTRACE nothing is told of what threads of other users' servers wait for, of their files and memory, and a JVM of another user gives no thread dump. Run the program as the server's user, or give it the right.
doctor-cpu_samples = CPU samples
doctor-cpu_samples-good = the kernel samples what the CPUs run.
doctor-cpu_samples-costs = Without root, CAP_PERFMON or kernel.perf_event_paranoid of 0 or less nothing is told of which code uses the CPU. Thread dumps are taken all the same.
doctor-bpf = BPF
doctor-bpf-good = the kernel takes the program that tells of calls at Unix sockets.
doctor-bpf-not-built = this program was built without clang and has none for the kernel.
doctor-bpf-kernel = this kernel lacks what is needed: BTF, and the tracepoints sock_send_length and sock_recv_length (Linux 6.3 and later).
doctor-bpf-costs = Requests by Unix sockets (a proxy before PHP-FPM, a database on the same host) are sampled: how many are under way is known, not how many there are and how long each takes.
doctor-ports = Local ports
doctor-ports-says = { $available } ({ $range }) for connections to one address; { $waiting } connections wait in TIME_WAIT. Short connections: at most { $per_s } a second to one address, over and over.
doctor-ports-costs = With keep-alive connections there can be { $available } to one address. Beyond that, or beyond { $per_s } short connections a second, requests fail with “no local port”.
doctor-ports-waiting = Over half of the ports are kept by connections that have ended (60 s each): short connections soon find none.
doctor-conntrack = Tracked connections
doctor-conntrack-unused = the kernel tracks none here.
doctor-conntrack-says = { $count } of { $most }.
doctor-conntrack-costs = When the table is full, new connections are dropped without a word: they time out as if the target were slow.
doctor-descriptors = Descriptors
doctor-descriptors-says = { $hard } for this process; it raises its own limit that far.
doctor-descriptors-costs = About { $hard } connections at a time: more users fail with “too many open files”.
doctor-descriptors-shell = The command raises it for this shell; for good, write it into /etc/security/limits.d or as LimitNOFILE of the service.
doctor-descriptors-system = The whole system is near its limit of open files.
doctor-accept_queue = Queue of servers here
doctor-accept_queue-says = net.core.somaxconn is { $somaxconn }.
doctor-accept_queue-costs = It counts if the target runs on this host: whatever queue (backlog) a server asks for, it gets no longer one. When it is full, connections take 1 s, 3 s, 7 s.
doctor-clock = Clock
doctor-clock-says = synchronised to within { $error_ms } ms; read from { $source }.
doctor-clock-unset = nobody synchronises it; read from { $source }.
doctor-clock-costs = Times of one run stay right. But times of the target's own logs do not match those of reports, and certificates may seem expired. Agents and workers are corrected by their measured offset.
doctor-clock-host = The clock is that of the host that runs this container: set it there.
doctor-clock-slow = Each look at { $source } is a system call: the generator makes less load, and adds to the times it measures.
doctor-cpu = CPU
doctor-cpu-says = { $usable } of { $online } CPUs; load { $load } over the last minute.
doctor-cpu-quota = A quota stops this process when it has used { $usable } CPUs' worth in a period: all its users stand still until the next. Runs say so, but are no better for it. Take the limit off the generator.
doctor-cpu-governor = The governor ({ $names }) lowers the CPUs' frequency when there is little load: times of light loads are longer than those of heavy ones.
doctor-cpu-steal = { $share } % of the CPU time went to other guests of the same machine: times have pauses that are not the target's. Use a host with CPUs of its own.
doctor-cpu-busy = Something uses the CPUs already: end it before you measure.
doctor-memory = Memory
doctor-memory-says = { $free_mib } MiB of { $most_mib } MiB are free.
doctor-memory-costs = A user takes some kilobytes, large responses and data files more: the kernel may end the generator in the middle of a run.
doctor-disk = Folder of the runs
doctor-disk-says = { $folder }, { $free_mib } MiB free.
doctor-disk-no-folder = it is no folder.
doctor-disk-closed = It cannot be written: no run can be stored here.
doctor-disk-full = It is full: a run would end without being kept whole.
doctor-disk-little = There is little room: long runs with sample logs (-l) may not be kept whole.
doctor-disk-memory = It lies in memory: runs are gone when the host restarts, and take memory until then.
doctor-loopback = Network
doctor-loopback-says = this host reaches itself. Longest packets in bytes: { $mtus }.
doctor-loopback-only = this host reaches itself.
doctor-loopback-down = this host does not reach itself at 127.0.0.1.
doctor-loopback-costs = Targets, agents and the companion on this host cannot be reached.
doctor-loopback-mtu = The way out ({ $name }) carries { $mtu } bytes a packet, as overlays and VPNs do: large responses take more packets than on the target's own network.
doctor-names = Names
doctor-names-says = resolved by { $servers }.
doctor-names-none = /etc/resolv.conf names no server.
doctor-names-costs = Only names of /etc/hosts and addresses can be loaded.
doctor-certificates = Certificates
doctor-certificates-says = { $count } authorities are trusted.
doctor-certificates-costs = No https:// target is trusted, unless the plan names its authority (tls: ca) or is told not to check (-k).
doctor-companion = Java of JMeter plans
doctor-companion-says = { $home }, Java { $java_version }.
doctor-companion-absent = the JVM companion is not here.
doctor-companion-no-java = no Java is here.
doctor-companion-wrong-home = { $variable } is set, and there is no { $java }; other places are not looked at then.
doctor-companion-build = It is a package of its own, plimsoll-companion, of the same release. In the source: make companion.
doctor-companion-costs = JMeter plans with Groovy, BeanShell, Java classes or other plugins cannot run; all others can.
doctor-nats = NATS
doctor-nats-unused = none is named (--nats, PLIMSOLL_NATS); runs over several hosts need one.
doctor-nats-good = reached.
doctor-nats-costs = No worker is reached by it: runs over several hosts fail.
