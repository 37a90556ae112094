# Watching JVMs from the outside: hsperfdata, attach, GC logs, dumps.
watch-jvm-address = "{ $address }" is not a JVM: write the port it listens on (8080) or its process (pid:1234).
watch-jvm-no-process = There is no process { $pid }.
watch-jvm-no-listener = Nothing listens on port { $port } of this host.
watch-jvm-listener-unseen = Something listens on port { $port }, but its process cannot be seen. Watch as root or as the user of that process, or name it: pid:1234.
watch-jvm-no-counters = Process { $pid } has no JVM performance counters (/tmp/hsperfdata_*): it is not a HotSpot JVM, or its /tmp was cleaned.
watch-jvm-counters-off = Process { $pid } was started with { $option }, so its performance counters cannot be seen. Start it without that option.
watch-jvm-denied = { $path } may not be read ({ $reason }). Watch as root or as the user of the JVM.
watch-jvm-restarted = The JVM was restarted: process { $before } before, { $now } now.
watch-jvm-full-gc = Full GC ({ $count } since the last look), the last one took { $seconds } s (cause: { $cause }).{ $asked ->
    [inspection] {" "}Somebody looked at the heap: a class histogram or heap dump, which Plimsoll’s captures take, too.
   *[no] {""}
}
watch-jvm-attach-off = Process { $pid } cannot be attached to ({ $reason }): it is not a HotSpot JVM, is just starting, or was started with -XX:+DisableAttachMechanism. Start the JVM without this option to have thread dumps and histograms.
watch-jvm-attach-denied = Process { $pid } may not be attached to ({ $reason }). Watch as root or as the user of the JVM.
watch-jvm-attach-failed = Process { $pid } cannot be attached to: { $reason }.
watch-jvm-attach-silent = The JVM of process { $pid } did not respond within { $seconds } s. A JVM that does nothing but collect garbage cannot; its counters remain available.
watch-jvm-attach-refused = The JVM of process { $pid } refused "{ $command }": { $answer }
watch-jvm-full-gc-heap = Full GC ({ $cause }): { $seconds } s, heap { $before } → { $after } MiB.{ $asked ->
    [inspection] {" "}Somebody looked at the heap: a class histogram or heap dump, which Plimsoll’s captures take, too.
   *[no] {""}
}
watch-jvm-gc-failure = Garbage collection in trouble ({ $failure }): { $seconds } s.
watch-jvm-gc-log-address = "{ $address }" is not a GC log: write its path (/var/log/app/gc.log), or the port (8080) or process (pid:1234) of the JVM that writes it.
watch-jvm-no-gc-log = The JVM of process { $pid } writes no GC log. Start it with -Xlog:gc*:file=gc.log (JDK 8: -Xloggc:gc.log -XX:+PrintGCDetails) to see the heap before and after each collection, causes and single pauses.
watch-jvm-gc-log-to-stdout = The JVM of process { $pid } writes its GC log to its standard output, which is not a file. Start it with -Xlog:gc*:file=gc.log to have it read.
watch-jvm-jfr-off = The JVM of process { $pid } has no flight recording. Start it with -XX:StartFlightRecording, or set "jfr: start" to have one started before the load.
watch-jvm-jfr-too-long = The flight recording of process { $pid } is longer than { $megabytes } MiB a minute and was not kept. Record less (settings=default).
watch-jvm-jfr-unreadable = The flight recording of process { $pid } cannot be read, so secrets in it could not be masked; it was not kept: { $reason }.
watch-jvm-jfr-option = "jfr: { $value }" is not known. It may be "running" (use a running recording) or "start" (start one before the load).
watch-jvm-profiler-missing = The JVM of process { $pid } does not see { $library }. Put async-profiler’s libasyncProfiler.so where the JVM can read it, and name that path.
watch-jvm-profiler-refused = async-profiler ({ $library }) did nothing in process { $pid }. Another profile may be running there, or the library is for another system (glibc or musl, processor); the JVM’s own error output says which.
watch-jvm-samples-refused = The CPU time of the JVM in process { $pid } is not sampled: { $reason }. It takes root, the capability CAP_PERFMON, or kernel.perf_event_paranoid of 0 or less, on x86-64. Thread dumps are taken all the same.
watch-jvm-samples-unknown = The CPU time of the JVM in process { $pid } is not sampled: its memory may not be read, or it is not a HotSpot JVM (OpenJDK, Oracle, Temurin and the like) that is known here. Thread dumps are taken all the same.
