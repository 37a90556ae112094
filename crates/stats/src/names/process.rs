//! Series of a process, its workers of the same program included (OpenTelemetry: process
//! metrics). Its control group and, if it has one of its own, its network are given under
//! the names of a host's.

use super::{SeriesName, counter, gauge};

/// CPU time by `cpu.mode`: user, system.
pub const CPU_TIME: SeriesName = counter("process.cpu.time", "s");
/// Time in which threads wanted to run and had no CPU.
pub const CPU_WAIT: SeriesName = counter("process.cpu.wait_time", "s");
/// CPUs that it may use: the least of its host's, its affinity (with its CPU set) and its quota.
pub const CPU_AVAILABLE: SeriesName = gauge("process.cpu.available", "{cpu}");
/// CPU time of the programs that it started and that have ended.
pub const CHILD_CPU_TIME: SeriesName = counter("process.child.cpu.time", "s");
/// Memory in RAM.
pub const MEMORY: SeriesName = gauge("process.memory.usage", "By");
/// Address space.
pub const MEMORY_VIRTUAL: SeriesName = gauge("process.memory.virtual", "By");
/// Memory swapped out.
pub const SWAP: SeriesName = gauge("process.memory.swap", "By");
/// Page faults by `system.paging.fault.type`: major (from disk), minor.
pub const FAULTS: SeriesName = counter("process.paging.faults", "{fault}");
/// Bytes from and to disks by `disk.io.direction`: read, write.
pub const DISK_IO: SeriesName = counter("process.disk.io", "By");
/// Bytes given to and taken from read and write calls, whatever they go to (page cache,
/// pipes, sockets), by `disk.io.direction`.
pub const CALL_IO: SeriesName = counter("process.call.io", "By");
/// Read and write calls by `disk.io.direction`.
pub const CALLS: SeriesName = counter("process.call.count", "{call}");
/// Threads.
pub const THREADS: SeriesName = gauge("process.thread.count", "{thread}");
/// Processes: the process and its workers of the same program.
pub const PROCESSES: SeriesName = gauge("process.worker.count", "{process}");
/// Time since the start.
pub const UPTIME: SeriesName = gauge("process.uptime", "s");
/// Context switches by `process.context_switch.type`: voluntary (it waited), involuntary
/// (its CPU was taken away).
pub const CONTEXT_SWITCHES: SeriesName = counter("process.context_switches", "{context_switch}");
/// CPU time by `thread.id` and `thread.name`, of threads that used 20 ms or more.
pub const THREAD_CPU_TIME: SeriesName = counter("process.thread.cpu.time", "s");
/// CPU time by `thread.group`: the thread's name with `*` for its numbers.
pub const GROUP_CPU_TIME: SeriesName = counter("process.thread_group.cpu.time", "s");
/// Threads by `thread.group`.
pub const GROUP_THREADS: SeriesName = gauge("process.thread_group.count", "{thread}");
/// Open file descriptors.
pub const FILES: SeriesName = gauge("process.unix.file_descriptor.count", "{file_descriptor}");
/// Open file descriptors of that of its processes that has the most: the limit is for each of them.
pub const FILES_PEAK: SeriesName = gauge("process.unix.file_descriptor.peak", "{file_descriptor}");
/// File descriptors that each of its processes may open.
pub const FILES_LIMIT: SeriesName =
    gauge("process.unix.file_descriptor.limit", "{file_descriptor}");
/// Open file descriptors by `file_descriptor.kind`: file, socket, pipe, other.
pub const FILES_BY_KIND: SeriesName = gauge(
    "process.unix.file_descriptor.kind.count",
    "{file_descriptor}",
);
/// Its TCP connections by `network.connection.state`.
pub const CONNECTIONS: SeriesName = gauge("process.network.connection.count", "{connection}");
