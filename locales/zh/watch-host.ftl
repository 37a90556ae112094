# 监控主机与进程，并找出相关的部分。
watch-host-no-pressure = 此内核不提供压力信息（PSI）：看不到任务等待 CPU、内存与磁盘的时间。需要 Linux 4.20 以上且启用 CONFIG_PSI，部分系统还需启动参数 psi=1。
watch-host-oom-kill = 因内存不足，内核杀死了 { $count } 个进程。
watch-host-oom-killed = 因内存不足，内核杀死了 { $names }。
watch-process-address = “{ $address }”不是一个进程。请写它监听的端口（process=8080）、进程号（process=pid:1234）或程序名（process=java）。
watch-process-absent = 目前没有进程 { $process }；会继续寻找。
watch-process-hidden = 端口 { $process } 有进程在监听，但看不到是哪个：它属于其他用户。请以该用户或 root 身份监控。
watch-process-ambiguous = 有多个名为 { $name } 的进程：{ $known }。请用端口或 pid:进程号 指定其中一个。
watch-process-gone = { $name }（进程 { $pid }）已结束。
watch-process-restarted = { $name } 已重新启动：进程 { $before } 变为 { $pid }。
watch-process-no-io = 看不到 { $name } 读写的字节数：它属于其他用户。请以该用户或 root 身份监控。
watch-process-no-files = 看不到 { $name } 打开的文件与套接字：它属于其他用户。请以该用户或 root 身份监控。
watch-process-no-threads = 看不到 { $name } 的线程：它属于其他用户，且本系统隐藏了它们。请以该用户或 root 身份监控。
watch-host-no-netlink = 此处看不到等待队列 (accept queue) 的上限与丢弃数：内核拒绝 netlink（sock_diag）。查看其他网络命名空间需要 root。
watch-auto-found = 找到 { $name }（进程 { $pid }）。
watch-auto-no-address = 被测系统 { $target } 没有地址：{ $reason }。
watch-auto-elsewhere = 被测系统 { $target } 在另一台主机上，从这里看不到它。请在那里运行 plimsoll agent，并以 agent=主机:端口 监控。
watch-auto-nobody = 目前本机没有进程监听 { $target }。
watch-auto-hidden = 有进程监听 { $target }，但看不到是哪个：它属于其他用户。请以该用户或 root 身份运行。
watch-auto-not-root = 有 { $count } 个其他用户的进程无法查看：被测系统的相邻进程可能不全。{ $root ->
        [yes] 缺少 CAP_SYS_PTRACE 权能（例如在容器里）时，root 也看不到它们。
       *[other] 以 root 身份运行即可看到。
    }
watch-auto-remote = { $name } 连接着另一台主机上的 { $server }，它未被监控。请在那里运行 plimsoll agent，或直接指定：mysql={ $server }、postgresql={ $server }、redis={ $server }。
watch-auto-no-actuator = { $name } 的端口上没有 actuator 响应：看不到线程池、连接池与请求。请启用它（management.endpoints.web.exposure.include=metrics,prometheus），或直接指定：actuator=URL。
watch-auto-no-status = nginx 的常用路径上没有 stub_status：无法统计其连接与请求。请添加含 “stub_status;” 的 location，或直接指定：nginx=URL。
watch-wire-failed = 读取数据包失败：{ $reason }。其余监控照常进行。
watch-wire-refused = 此处未从数据包中识别进程间的请求：{ $reason }。需要 root 或 CAP_NET_RAW 权能。经文件系统套接字 (Unix socket) 的请求和其余监控照常进行。
watch-unix-sampled = 此处未逐个统计经文件系统套接字 (Unix socket) 的请求，改为采样：{ $why ->
        [not-built] 本程序构建时没有 clang，缺少在内核中运行的程序
        [no-types] 内核不提供其类型信息（BTF，/sys/kernel/btf/vmlinux）
        [old-kernel] 内核没有跟踪点 sock_send_length 与 sock_recv_length（Linux 6.3 起才有）
        [refused] 内核不接受本进程的程序：{ $reason }。需要 root 或 CAP_BPF 与 CAP_PERFMON 权能；容器的 seccomp 配置也可能禁止
       *[failed] 内核不接受该程序：{ $reason }
    }。在途请求数仍然可知，每个请求的用时不可知。
