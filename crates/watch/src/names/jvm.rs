//! Series of a Java virtual machine (OpenTelemetry: JVM metrics). Whoever reads them
//! (hsperfdata, GC logs, actuator, Jolokia, exporters) uses these names, and the names of
//! pools and collectors as the JVM's own management beans have them (`G1 Old Gen`,
//! `G1 Young Generation`).

use super::{Metric, counter, gauge};

/// Memory in use, by `jvm.memory.pool.name` and `jvm.memory.type` (heap, non_heap).
pub const MEMORY_USED: Metric = gauge("jvm.memory.used", "By");
/// Memory that the JVM has from the system, by pool and type.
pub const MEMORY_COMMITTED: Metric = gauge("jvm.memory.committed", "By");
/// Most memory that a pool may have, by pool and type.
pub const MEMORY_LIMIT: Metric = gauge("jvm.memory.limit", "By");
/// Memory in use after the last collection of a pool, by pool and type.
pub const MEMORY_USED_AFTER_LAST_GC: Metric = gauge("jvm.memory.used_after_last_gc", "By");
/// Bytes allocated on the heap, counted from any moment on: all of it by a GC log, what went to
/// the young generation (or to a heap without one) by others.
pub const MEMORY_ALLOCATED: Metric = counter("jvm.memory.allocated", "By");
/// Bytes that moved to the old generation.
pub const MEMORY_PROMOTED: Metric = counter("jvm.memory.promoted", "By");

/// Memory of direct and mapped buffers, by `jvm.buffer.pool.name` (direct, mapped).
pub const BUFFER_MEMORY_USED: Metric = gauge("jvm.buffer.memory.used", "By");
/// Capacity of the buffers of a pool, by `jvm.buffer.pool.name`.
pub const BUFFER_MEMORY_LIMIT: Metric = gauge("jvm.buffer.memory.limit", "By");
/// Buffers of a pool, by `jvm.buffer.pool.name`.
pub const BUFFER_COUNT: Metric = gauge("jvm.buffer.count", "{buffer}");

/// Pauses for garbage collection, by `jvm.gc.action` (end of minor GC, end of major GC, end
/// of GC pause), and by `jvm.gc.name` or `jvm.gc.cause` as the source tells. Concurrent cycles
/// are none.
pub const GC_PAUSE_COUNT: Metric = counter("jvm.gc.pause.count", "{pause}");
/// Time in which the application stood still for garbage collection, by the same attributes.
pub const GC_PAUSE_TIME: Metric = counter("jvm.gc.pause.time", "s");
/// Longest pause for garbage collection since the point before.
pub const GC_PAUSE_MAX: Metric = gauge("jvm.gc.pause.max", "s");
/// Longest pause for garbage collection of the last minutes, as Micrometer has it.
pub const GC_PAUSE_RECENT_MAX: Metric = gauge("jvm.gc.pause.recent.max", "s");
/// Collections by what caused them: `jvm.gc.action`, `jvm.gc.cause`.
pub const GC_CAUSE_COUNT: Metric = counter("jvm.gc.cause.count", "{collection}");
/// Heap in use before the last collection.
pub const GC_HEAP_BEFORE: Metric = gauge("jvm.gc.heap.before", "By");
/// Heap in use after the last collection.
pub const GC_HEAP_AFTER: Metric = gauge("jvm.gc.heap.after", "By");
/// Heap that the JVM had from the system at the last collection.
pub const GC_HEAP_COMMITTED: Metric = gauge("jvm.gc.heap.committed", "By");
/// Time of concurrent collection phases, in which the application goes on; of collectors whose
/// source tells of whole cycles only (ZGC's and Shenandoah's beans), of these.
pub const GC_CONCURRENT_TIME: Metric = counter("jvm.gc.concurrent.time", "s");
/// CPU time of the collector's threads (JDK 20 and later).
pub const GC_CPU_TIME: Metric = counter("jvm.gc.cpu.time", "s");
/// Share of CPU time that went to garbage collection lately, as Micrometer has it.
pub const GC_OVERHEAD: Metric = gauge("jvm.gc.overhead", "1");

/// Threads, by `jvm.thread.daemon` or `jvm.thread.state`, as far as the source tells.
pub const THREAD_COUNT: Metric = gauge("jvm.thread.count", "{thread}");
/// Most threads at once since the JVM's start.
pub const THREAD_PEAK: Metric = gauge("jvm.thread.peak", "{thread}");
/// Threads started since the JVM's start.
pub const THREAD_STARTED: Metric = counter("jvm.thread.started", "{thread}");

/// Classes that are loaded now.
pub const CLASS_COUNT: Metric = gauge("jvm.class.count", "{class}");
/// Classes loaded since the JVM's start.
pub const CLASS_LOADED: Metric = counter("jvm.class.loaded", "{class}");
/// Classes unloaded since the JVM's start.
pub const CLASS_UNLOADED: Metric = counter("jvm.class.unloaded", "{class}");

/// CPU time of the JVM's process, as the JVM says it.
pub const CPU_TIME: Metric = counter("jvm.cpu.time", "s");
/// Processors that the JVM believes it has.
pub const CPU_COUNT: Metric = gauge("jvm.cpu.count", "{cpu}");
/// Share of the processors that the JVM's process used lately, as the JVM says it.
pub const CPU_RECENT_UTILIZATION: Metric = gauge("jvm.cpu.recent_utilization", "1");

/// Time that threads spent compiling methods.
pub const COMPILATION_TIME: Metric = counter("jvm.compilation.time", "s");
/// Methods compiled.
pub const COMPILATION_COUNT: Metric = counter("jvm.compilation.count", "{method}");
/// Bytes of machine code that compiling made; what was thrown away again counts too.
pub const COMPILATION_CODE: Metric = counter("jvm.compilation.code", "By");
/// Compiled methods that were thrown away because an assumption failed.
pub const COMPILATION_INVALIDATED: Metric = counter("jvm.compilation.invalidated", "{method}");

/// Safepoints: moments at which all threads were made to stand still, for any reason.
pub const SAFEPOINT_COUNT: Metric = counter("jvm.safepoint.count", "{safepoint}");
/// Time in which all threads stood still at safepoints.
pub const SAFEPOINT_TIME: Metric = counter("jvm.safepoint.time", "s");
/// Time it took until all threads stood still.
pub const SAFEPOINT_SYNC_TIME: Metric = counter("jvm.safepoint.sync_time", "s");

/// Attempts to enter a monitor that another thread held (JDK 8 to 21, without biased ones).
pub const MONITOR_CONTENDED: Metric = counter("jvm.monitor.contended", "{attempt}");
/// Threads that were put to sleep before a monitor (JDK 8 to 21).
pub const MONITOR_PARKED: Metric = counter("jvm.monitor.parked", "{park}");

/// Time since the JVM's start.
pub const UPTIME: Metric = gauge("jvm.uptime", "s");

/// Share of the long-lived part of the heap in use after its last collection, as Micrometer
/// has it.
pub const MEMORY_USAGE_AFTER_GC: Metric = gauge("jvm.memory.usage_after_gc", "1");
/// Size of the long-lived part of the heap after its last collection, as Micrometer has it.
pub const GC_LIVE_DATA: Metric = gauge("jvm.gc.live_data.size", "By");
/// Most that the long-lived part of the heap may have, as Micrometer has it.
pub const GC_MAX_DATA: Metric = gauge("jvm.gc.max_data.size", "By");
/// Threads that had to wait for memory while the heap was collected (ZGC).
pub const GC_STALL_COUNT: Metric = counter("jvm.gc.stall.count", "{stall}");
/// Time that threads waited for memory while the heap was collected (ZGC).
pub const GC_STALL_TIME: Metric = counter("jvm.gc.stall.time", "s");
