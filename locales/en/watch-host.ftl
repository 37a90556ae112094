# Watching hosts and processes, and finding what belongs together.
watch-host-no-pressure = This kernel does not report pressure (PSI), so how long tasks wait for CPU, memory and disks cannot be seen. It needs Linux 4.20 with CONFIG_PSI, on some systems the boot option psi=1.
watch-host-oom-kill = The kernel killed { $count } { $count ->
        [one] process
       *[other] processes
    } for want of memory.
watch-host-oom-killed = The kernel killed { $names } for want of memory.
watch-process-address = "{ $address }" names no process. Write the port it listens at (process=8080), its number (process=pid:1234) or its program's name (process=java).
watch-process-absent = There is no process { $process } now; the search continues.
watch-process-hidden = Something listens on port { $process }, but its process cannot be seen: it belongs to another user. Watch as that user or as root.
watch-process-ambiguous = Several processes are called { $name }: { $known }. Name one by its port or as pid:NUMBER.
watch-process-gone = { $name } (process { $pid }) has ended.
watch-process-restarted = { $name } was restarted: process { $before } is now { $pid }.
watch-process-no-io = Bytes read and written by { $name } cannot be seen: it is another user's process. Watch as that user or as root.
watch-process-no-files = Open files and sockets of { $name } cannot be seen: it is another user's process. Watch as that user or as root.
watch-process-no-threads = Threads of { $name } cannot be seen: it is another user's process, and this system hides them. Watch as that user or as root.
watch-host-no-netlink = Listen queues' limits and drops cannot be seen here: the kernel refuses netlink (sock_diag). Other namespaces need root.
watch-auto-found = Found { $name } (process { $pid }).
watch-auto-no-address = The target { $target } has no address: { $reason }.
watch-auto-elsewhere = The target { $target } is on another host and cannot be watched from here. Run "plimsoll agent" there and watch it with agent=HOST:PORT.
watch-auto-nobody = Nothing listens at { $target } on this host now.
watch-auto-hidden = Something listens at { $target }, but its process cannot be seen: it belongs to another user. Run as that user or as root.
watch-auto-not-root = { $count } { $count ->
        [one] process
       *[other] processes
    } of other users could not be looked into: neighbours of the target may be missing. { $root ->
        [yes] Root sees them only with the capability CAP_SYS_PTRACE, which a container may lack.
       *[other] Run as root to see them.
    }
watch-auto-remote = { $name } is connected to { $server } on another host, which is not watched. Run "plimsoll agent" there, or name it: mysql={ $server }, postgresql={ $server }, redis={ $server }.
watch-auto-no-actuator = No actuator responds on the ports of { $name }: thread pools, connection pools and requests are not seen. Enable it (management.endpoints.web.exposure.include=metrics,prometheus), or name it: actuator=URL.
watch-auto-no-status = nginx shows no stub_status at the usual paths: its connections and requests are not counted. Add a location with "stub_status;", or name it: nginx=URL.
watch-wire-failed = Reading packets failed: { $reason }. Everything else is watched all the same.
watch-wire-refused = Requests between processes are not told from their packets here: { $reason }. It takes root or the capability CAP_NET_RAW. Requests over sockets of the file system, and everything else, are watched all the same.
watch-unix-sampled = Requests over sockets of the file system are not counted here but sampled: { $why ->
        [not-built] this program was built without clang, so that the program for the kernel is missing
        [no-types] the kernel does not tell of its types (BTF, /sys/kernel/btf/vmlinux)
        [old-kernel] the kernel has no tracepoints sock_send_length and sock_recv_length (Linux 6.3 has them)
        [refused] the kernel takes no program from this process: { $reason }. It takes root or the capabilities CAP_BPF and CAP_PERFMON, and a container's seccomp profile may forbid it
       *[failed] the kernel does not take the program: { $reason }
    }. How many are under way is known all the same; how long each takes is not.
