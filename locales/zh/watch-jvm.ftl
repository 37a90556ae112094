# 从外部监控 JVM：hsperfdata、attach、GC 日志、转储。
watch-jvm-address = “{ $address }”不是 JVM：请写它监听的端口（8080）或进程（pid:1234）。
watch-jvm-no-process = 没有进程 { $pid }。
watch-jvm-no-listener = 本机没有程序监听端口 { $port }。
watch-jvm-listener-unseen = 端口 { $port } 有程序在监听，但看不到是谁。请以 root 或该进程的用户身份监控，或直接写进程：pid:1234。
watch-jvm-no-counters = 进程 { $pid } 没有 JVM 性能计数器（/tmp/hsperfdata_*）：它不是 HotSpot JVM，或其 /tmp 已被清理。
watch-jvm-counters-off = 进程 { $pid } 启动时带有 { $option }，因此看不到性能计数器。请去掉该选项后启动。
watch-jvm-denied = 无法读取 { $path }（{ $reason }）。请以 root 或该 JVM 的用户身份监控。
watch-jvm-restarted = JVM 已重新启动：进程 { $before } 变为 { $now }。
watch-jvm-full-gc = Full GC（自上次查看以来 { $count } 次），最后一次耗时 { $seconds } 秒（原因：{ $cause }）。{ $asked ->
    [inspection] 有人查看了堆：类直方图或堆转储，Plimsoll的采集也会这样做。
   *[no] {""}
}
watch-jvm-attach-off = 无法 attach 到进程 { $pid }（{ $reason }）：它不是 HotSpot JVM、正在启动，或启动时带有 -XX:+DisableAttachMechanism。去掉该选项后启动 JVM，才能得到线程转储和类直方图。
watch-jvm-attach-denied = 无权 attach 到进程 { $pid }（{ $reason }）。请以 root 或该 JVM 的用户身份监控。
watch-jvm-attach-failed = 无法 attach 到进程 { $pid }：{ $reason }。
watch-jvm-attach-silent = 进程 { $pid } 的 JVM 在 { $seconds } 秒内没有响应。一直在做垃圾回收的 JVM 无法响应；其性能计数器仍可读取。
watch-jvm-attach-refused = 进程 { $pid } 的 JVM 拒绝了“{ $command }”：{ $answer }
watch-jvm-full-gc-heap = Full GC（{ $cause }）：{ $seconds } 秒，堆 { $before } → { $after } MiB。{ $asked ->
    [inspection] 有人查看了堆：类直方图或堆转储，Plimsoll的采集也会这样做。
   *[no] {""}
}
watch-jvm-gc-failure = 垃圾回收遇到困难（{ $failure }）：{ $seconds } 秒。
watch-jvm-gc-log-address = “{ $address }”不是 GC 日志：请写它的路径（/var/log/app/gc.log），或写日志的 JVM 的端口（8080）或进程（pid:1234）。
watch-jvm-no-gc-log = 进程 { $pid } 的 JVM 不写 GC 日志。启动时加 -Xlog:gc*:file=gc.log（JDK 8：-Xloggc:gc.log -XX:+PrintGCDetails），才能看到每次回收前后的堆、原因和单次停顿。
watch-jvm-gc-log-to-stdout = 进程 { $pid } 的 JVM 把 GC 日志写到标准输出，而它不是文件。启动时加 -Xlog:gc*:file=gc.log 即可读取。
watch-jvm-jfr-off = 进程 { $pid } 的 JVM 没有飞行记录。启动时加 -XX:StartFlightRecording，或设置“jfr: start”让它在加压前开始记录。
watch-jvm-jfr-too-long = 进程 { $pid } 的飞行记录每分钟超过 { $megabytes } MiB，未保留。请减少记录内容（settings=default）。
watch-jvm-jfr-unreadable = 无法读取进程 { $pid } 的 JFR 记录，不能遮盖其中的机密，因此没有保留：{ $reason }。
watch-jvm-jfr-option = 不认识“jfr: { $value }”。可用：“running”（只用正在运行的记录）或“start”（加压前开始一个）。
watch-jvm-profiler-missing = 进程 { $pid } 的 JVM 看不到 { $library }。请把 async-profiler 的 libasyncProfiler.so 放到 JVM 可读的位置，并给出该路径。
watch-jvm-profiler-refused = async-profiler（{ $library }）在进程 { $pid } 中没有生效。可能已有另一个剖析在运行，或库文件不适用于该系统（glibc 或 musl、处理器）；JVM 的错误输出会说明原因。
watch-jvm-samples-refused = 未对进程 { $pid } 的 JVM 做 CPU 采样：{ $reason }。需要 root、CAP_PERFMON 权能，或 kernel.perf_event_paranoid 不大于 0，且处理器为 x86-64。线程转储照常进行。
watch-jvm-samples-unknown = 未对进程 { $pid } 的 JVM 做 CPU 采样：无权读取其内存，或它不是已知的 HotSpot JVM（OpenJDK、Oracle、Temurin 等）。线程转储照常进行。
