//! Series of a Java virtual machine (OpenTelemetry: JVM metrics). Whoever reads them
//! (hsperfdata, GC logs, actuator, Jolokia, exporters) uses these names, and the names of
//! pools and collectors as the JVM's own management beans have them (`G1 Old Gen`,
//! `G1 Young Generation`).

use super::{SeriesName, counter, gauge};

/// Memory in use, by `jvm.memory.pool.name` and `jvm.memory.type` (heap, non_heap).
pub const MEMORY_USED: SeriesName = gauge("jvm.memory.used", "By");
/// Memory that the JVM has from the system, by pool and type.
pub const MEMORY_COMMITTED: SeriesName = gauge("jvm.memory.committed", "By");
/// Most memory that a pool may have, by pool and type.
pub const MEMORY_LIMIT: SeriesName = gauge("jvm.memory.limit", "By");
/// Memory in use after the last collection of a pool, by pool and type.
pub const MEMORY_USED_AFTER_LAST_GC: SeriesName = gauge("jvm.memory.used_after_last_gc", "By");
/// Bytes allocated on the heap, counted from any moment on: all of it by a GC log, what went to
/// the young generation (or to a heap without one) by others.
pub const MEMORY_ALLOCATED: SeriesName = counter("jvm.memory.allocated", "By");
/// Bytes that moved to the old generation.
pub const MEMORY_PROMOTED: SeriesName = counter("jvm.memory.promoted", "By");

/// Memory of direct and mapped buffers, by `jvm.buffer.pool.name` (direct, mapped).
pub const BUFFER_MEMORY_USED: SeriesName = gauge("jvm.buffer.memory.used", "By");
/// Capacity of the buffers of a pool, by `jvm.buffer.pool.name`.
pub const BUFFER_MEMORY_LIMIT: SeriesName = gauge("jvm.buffer.memory.limit", "By");
/// Buffers of a pool, by `jvm.buffer.pool.name`.
pub const BUFFER_COUNT: SeriesName = gauge("jvm.buffer.count", "{buffer}");

/// Pauses for garbage collection, by `jvm.gc.action` (end of minor GC, end of major GC, end
/// of GC pause), and by `jvm.gc.name` or `jvm.gc.cause` as the source tells. Concurrent cycles
/// are none.
pub const GC_PAUSE_COUNT: SeriesName = counter("jvm.gc.pause.count", "{pause}");
/// Time in which the application stood still for garbage collection, by the same attributes.
pub const GC_PAUSE_TIME: SeriesName = counter("jvm.gc.pause.time", "s");
/// Longest pause for garbage collection since the point before.
pub const GC_PAUSE_MAX: SeriesName = gauge("jvm.gc.pause.max", "s");
/// Longest pause for garbage collection of the last minutes, as Micrometer has it.
pub const GC_PAUSE_RECENT_MAX: SeriesName = gauge("jvm.gc.pause.recent.max", "s");
/// Collections by what caused them: `jvm.gc.action`, `jvm.gc.cause`.
pub const GC_CAUSE_COUNT: SeriesName = counter("jvm.gc.cause.count", "{collection}");
/// Heap in use before the last collection.
pub const GC_HEAP_BEFORE: SeriesName = gauge("jvm.gc.heap.before", "By");
/// Heap in use after the last collection.
pub const GC_HEAP_AFTER: SeriesName = gauge("jvm.gc.heap.after", "By");
/// Heap that the JVM had from the system at the last collection.
pub const GC_HEAP_COMMITTED: SeriesName = gauge("jvm.gc.heap.committed", "By");
/// Time of concurrent collection phases, in which the application goes on; of collectors whose
/// source tells of whole cycles only (ZGC's and Shenandoah's beans), of these.
pub const GC_CONCURRENT_TIME: SeriesName = counter("jvm.gc.concurrent.time", "s");
/// CPU time of the collector's threads (JDK 20 and later).
pub const GC_CPU_TIME: SeriesName = counter("jvm.gc.cpu.time", "s");
/// Share of CPU time that went to garbage collection lately, as Micrometer has it.
pub const GC_OVERHEAD: SeriesName = gauge("jvm.gc.overhead", "1");

/// Threads, by `jvm.thread.daemon` or `jvm.thread.state`, as far as the source tells.
pub const THREAD_COUNT: SeriesName = gauge("jvm.thread.count", "{thread}");
/// Most threads at once since the JVM's start.
pub const THREAD_PEAK: SeriesName = gauge("jvm.thread.peak", "{thread}");
/// Threads started since the JVM's start.
pub const THREAD_STARTED: SeriesName = counter("jvm.thread.started", "{thread}");

/// Classes that are loaded now.
pub const CLASS_COUNT: SeriesName = gauge("jvm.class.count", "{class}");
/// Classes loaded since the JVM's start.
pub const CLASS_LOADED: SeriesName = counter("jvm.class.loaded", "{class}");
/// Classes unloaded since the JVM's start.
pub const CLASS_UNLOADED: SeriesName = counter("jvm.class.unloaded", "{class}");

/// CPU time of the JVM's process, as the JVM says it.
pub const CPU_TIME: SeriesName = counter("jvm.cpu.time", "s");
/// Processors that the JVM believes it has.
pub const CPU_COUNT: SeriesName = gauge("jvm.cpu.count", "{cpu}");
/// Share of the processors that the JVM's process used lately, as the JVM says it.
pub const CPU_RECENT_UTILIZATION: SeriesName = gauge("jvm.cpu.recent_utilization", "1");

/// Time that threads spent compiling methods.
pub const COMPILATION_TIME: SeriesName = counter("jvm.compilation.time", "s");
/// Methods compiled.
pub const COMPILATION_COUNT: SeriesName = counter("jvm.compilation.count", "{method}");
/// Bytes of machine code that compiling made; what was thrown away again counts too.
pub const COMPILATION_CODE: SeriesName = counter("jvm.compilation.code", "By");
/// Compiled methods that were thrown away because an assumption failed.
pub const COMPILATION_INVALIDATED: SeriesName = counter("jvm.compilation.invalidated", "{method}");

/// Safepoints: moments at which all threads were made to stand still, for any reason.
pub const SAFEPOINT_COUNT: SeriesName = counter("jvm.safepoint.count", "{safepoint}");
/// Time in which all threads stood still at safepoints.
pub const SAFEPOINT_TIME: SeriesName = counter("jvm.safepoint.time", "s");
/// Time it took until all threads stood still.
pub const SAFEPOINT_SYNC_TIME: SeriesName = counter("jvm.safepoint.sync_time", "s");

/// Attempts to enter a monitor that another thread held (JDK 8 to 21, without biased ones).
pub const MONITOR_CONTENDED: SeriesName = counter("jvm.monitor.contended", "{attempt}");
/// Threads that were put to sleep before a monitor (JDK 8 to 21).
pub const MONITOR_PARKED: SeriesName = counter("jvm.monitor.parked", "{park}");

/// Time since the JVM's start.
pub const UPTIME: SeriesName = gauge("jvm.uptime", "s");

/// Share of the long-lived part of the heap in use after its last collection, as Micrometer
/// has it.
pub const MEMORY_USAGE_AFTER_GC: SeriesName = gauge("jvm.memory.usage_after_gc", "1");
/// Size of the long-lived part of the heap after its last collection, as Micrometer has it.
pub const GC_LIVE_DATA: SeriesName = gauge("jvm.gc.live_data.size", "By");
/// Most that the long-lived part of the heap may have, as Micrometer has it.
pub const GC_MAX_DATA: SeriesName = gauge("jvm.gc.max_data.size", "By");
/// Threads that had to wait for memory while the heap was collected (ZGC).
pub const GC_STALL_COUNT: SeriesName = counter("jvm.gc.stall.count", "{stall}");
/// Time that threads waited for memory while the heap was collected (ZGC).
pub const GC_STALL_TIME: SeriesName = counter("jvm.gc.stall.time", "s");
