# 本机允许什么、由此有何影响、如何解决（plimsoll doctor）。

doctor-head = { $host }（Plimsoll { $version } 所见）
doctor-sum = { $bad ->
        [0] 没有会使运行失败的问题。
       *[other] 有 { $bad } 项会使运行失败或数据有误。
    }{ $limited ->
        [0] 没有受限的项目。
       *[other] 有 { $limited } 项受限。
    }
doctor-until-restart = sysctl -w 的设置重启后失效：要长期保留，请写入 /etc/sysctl.d 中的文件。
doctor-grade-good = 正常
doctor-grade-unused = 未使用
doctor-grade-unknown = 未知
doctor-grade-limited = 受限
doctor-grade-bad = 有问题
doctor-unseen = 内核在此没有给出。
doctor-refused = 被拒绝：{ $reason }。
doctor-reason = { $reason }

doctor-packets = 数据包
doctor-packets-good = 可以读取数据包头。
doctor-packets-costs = 没有 root 权限或 CAP_NET_RAW 时不采集“wire”快照：看不到被测系统各进程之间的请求，响应时间的分解中无人看到的部分会更大。
doctor-processes = 其他用户的进程
doctor-processes-good = { $there ->
        [0] 目前没有；有权限查看。
       *[other] 共 { $there } 个，都可以查看。
    }
doctor-processes-says = 共 { $there } 个，可以查看 { $readable } 个。
doctor-processes-costs = 没有 root 权限或 CAP_SYS_PTRACE 时，看不到其他用户的服务线程在等待什么，也看不到它们的文件和内存；其他用户的 JVM 无法做线程转储。请以服务所属用户运行，或授予该权限。
doctor-cpu_samples = CPU 采样
doctor-cpu_samples-good = 内核可以采样 CPU 正在执行的代码。
doctor-cpu_samples-costs = 没有 root 权限、CAP_PERFMON，且 kernel.perf_event_paranoid 大于 0 时，看不到是哪些代码占用 CPU。线程转储不受影响。
doctor-bpf = BPF
doctor-bpf-good = 内核接受统计 Unix 套接字调用的程序。
doctor-bpf-not-built = 本程序构建时没有 clang，不含在内核中运行的程序。
doctor-bpf-kernel = 内核缺少所需条件：BTF，以及跟踪点 sock_send_length 与 sock_recv_length（Linux 6.3 起）。
doctor-bpf-costs = 经 Unix 套接字的请求（代理与其后的 PHP-FPM，同机的数据库）改为采样：在途请求数可知，请求总数与每个请求的用时不可知。
doctor-ports = 本地端口
doctor-ports-says = 对同一地址有 { $available } 个（{ $range }）；{ $waiting } 个连接处于 TIME_WAIT。持续使用短连接时，对同一地址每秒最多 { $per_s } 个。
doctor-ports-costs = 对同一地址最多有 { $available } 个长连接。超过此数，或每秒超过 { $per_s } 个短连接时，请求会因“没有本地端口”而失败。
doctor-ports-waiting = 一半以上的端口被已结束的连接占用（每个 60 秒）：短连接很快会没有端口可用。
doctor-conntrack = 连接跟踪
doctor-conntrack-unused = 内核在此不跟踪连接。
doctor-conntrack-says = { $most } 个中已用 { $count } 个。
doctor-conntrack-costs = 表满时新连接会被悄悄丢弃：表现为超时，好像被测系统很慢。
doctor-descriptors = 文件描述符
doctor-descriptors-says = 本进程最多 { $hard } 个；程序会自动提高到此上限。
doctor-descriptors-costs = 同时最多约 { $hard } 个连接：用户更多时会因“打开的文件过多”而失败。
doctor-descriptors-shell = 该命令只对当前 shell 有效；长期设置请写入 /etc/security/limits.d，或服务的 LimitNOFILE。
doctor-descriptors-system = 整个系统打开的文件已接近上限。
doctor-accept_queue = 本机服务的等待队列
doctor-accept_queue-says = net.core.somaxconn 为 { $somaxconn }。
doctor-accept_queue-costs = 被测系统在本机时有影响：无论服务要求多长的等待队列（backlog），都不会超过此值。队列满时建立连接需要 1、3、7 秒。
doctor-clock = 时钟
doctor-clock-says = 已同步，误差在 { $error_ms } ms 以内；时钟源为 { $source }。
doctor-clock-unset = 没有时间同步；时钟源为 { $source }。
doctor-clock-costs = 单次运行内的时间仍然正确。但被测系统自己的日志时间与报告对不上，证书也可能显得已过期。Agent 和执行节点会按测得的偏差修正。
doctor-clock-host = 时钟由运行此容器的主机提供：请在该主机上校时。
doctor-clock-slow = 每次读取 { $source } 都是一次系统调用：压力机产生的负载更少，测得的时间也会偏长。
doctor-cpu = CPU
doctor-cpu-says = 可用 { $usable } 个，共 { $online } 个；最近一分钟负载 { $load }。
doctor-cpu-quota = 配额使本进程在一个周期内用满 { $usable } 个 CPU 的时间后被暂停：所有用户都停住，直到下一周期。运行结果会说明这一点，但无法弥补。请取消对压力机的限制。
doctor-cpu-governor = 调频策略（{ $names }）在负载小时降低 CPU 频率：负载小时测得的时间比负载大时更长。
doctor-cpu-steal = { $share } % 的 CPU 时间被同一物理机上的其他虚拟机占用：时间中会有不属于被测系统的停顿。请使用独占 CPU 的主机。
doctor-cpu-busy = CPU 已被其他程序占用：请先结束它再测量。
doctor-memory = 内存
doctor-memory-says = 共 { $most_mib } MiB，可用 { $free_mib } MiB。
doctor-memory-costs = 每个用户占用数 KB，较大的响应和数据文件更多：内核可能在运行途中终止压力机。
doctor-disk = 存放运行的目录
doctor-disk-says = { $folder }，剩余 { $free_mib } MiB。
doctor-disk-no-folder = 不是目录。
doctor-disk-closed = 不可写：运行无法保存在此。
doctor-disk-full = 空间已满：运行无法完整保存。
doctor-disk-little = 剩余空间不多：带样本日志（-l）的长时间运行可能无法完整保存。
doctor-disk-memory = 位于内存中：重启后运行会丢失，在此之前一直占用内存。
doctor-loopback = 网络
doctor-loopback-says = 本机可以连接自身。最大数据包（字节）：{ $mtus }。
doctor-loopback-only = 本机可以连接自身。
doctor-loopback-down = 本机无法通过 127.0.0.1 连接自身。
doctor-loopback-costs = 无法连接本机上的被测系统、Agent 和伴随进程。
doctor-loopback-mtu = 出口网卡（{ $name }）的每个数据包为 { $mtu } 字节，常见于覆盖网络和 VPN：较大的响应所需的数据包比被测系统自身的网络更多。
doctor-names = 域名解析
doctor-names-says = 由 { $servers } 解析。
doctor-names-none = /etc/resolv.conf 中没有域名服务器。
doctor-names-costs = 只能对 /etc/hosts 中的名称和 IP 地址加压。
doctor-certificates = 证书
doctor-certificates-says = 信任 { $count } 个证书颁发机构。
doctor-certificates-costs = 不信任任何 https:// 被测系统，除非测试计划中写明颁发机构（tls: ca），或指定不校验（-k）。
doctor-companion = JMeter 测试计划所用的 Java
doctor-companion-says = { $home }，Java { $java_version }。
doctor-companion-absent = 没有找到 JVM 伴随进程。
doctor-companion-no-java = 没有找到 Java。
doctor-companion-wrong-home = 设置了 { $variable }，但没有 { $java }；此时不再查找其他位置。
doctor-companion-build = 伴随进程是单独的软件包 plimsoll-companion，请使用同一版本的。在源码目录中：make companion。
doctor-companion-costs = 使用 Groovy、BeanShell、Java 类或其他插件的 JMeter 测试计划无法运行；其余都可以。
doctor-nats = NATS
doctor-nats-unused = 没有指定（--nats、PLIMSOLL_NATS）；多台压力机的运行需要它。
doctor-nats-good = 可以连接。
doctor-nats-costs = 无法通过它连接执行节点：多台压力机的运行会失败。
