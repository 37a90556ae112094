//! Series of a process, its workers of the same program included (OpenTelemetry: process
//! metrics). Its control group and, if it has one of its own, its network are given under
//! the names of a host's.

use super::{Metric, counter, gauge};

/// CPU time by `cpu.mode`: user, system.
pub const CPU_TIME: Metric = counter("process.cpu.time", "s");
/// Time in which threads wanted to run and had no CPU.
pub const CPU_WAIT: Metric = counter("process.cpu.wait_time", "s");
/// CPU time of the programs that it started and that have ended.
pub const CHILD_CPU_TIME: Metric = counter("process.child.cpu.time", "s");
/// Memory in RAM.
pub const MEMORY: Metric = gauge("process.memory.usage", "By");
/// Address space.
pub const MEMORY_VIRTUAL: Metric = gauge("process.memory.virtual", "By");
/// Memory swapped out.
pub const SWAP: Metric = gauge("process.memory.swap", "By");
/// Page faults by `system.paging.fault.type`: major (from disk), minor.
pub const FAULTS: Metric = counter("process.paging.faults", "{fault}");
/// Bytes from and to disks by `disk.io.direction`: read, write.
pub const DISK_IO: Metric = counter("process.disk.io", "By");
/// Bytes given to and taken from read and write calls, whatever they go to (page cache,
/// pipes, sockets), by `disk.io.direction`.
pub const CALL_IO: Metric = counter("process.call.io", "By");
/// Read and write calls by `disk.io.direction`.
pub const CALLS: Metric = counter("process.call.count", "{call}");
/// Threads.
pub const THREADS: Metric = gauge("process.thread.count", "{thread}");
/// Processes: the process and its workers of the same program.
pub const PROCESSES: Metric = gauge("process.worker.count", "{process}");
/// Time since the start.
pub const UPTIME: Metric = gauge("process.uptime", "s");
/// Context switches by `process.context_switch.type`: voluntary (it waited), involuntary
/// (its CPU was taken away).
pub const CONTEXT_SWITCHES: Metric = counter("process.context_switches", "{context_switch}");
/// CPU time by `thread.id` and `thread.name`, of threads that used 20 ms or more.
pub const THREAD_CPU_TIME: Metric = counter("process.thread.cpu.time", "s");
/// CPU time by `thread.group`: the thread's name with `*` for its numbers.
pub const GROUP_CPU_TIME: Metric = counter("process.thread_group.cpu.time", "s");
/// Threads by `thread.group`.
pub const GROUP_THREADS: Metric = gauge("process.thread_group.count", "{thread}");
/// Open file descriptors.
pub const FILES: Metric = gauge("process.unix.file_descriptor.count", "{file_descriptor}");
/// File descriptors that it may open.
pub const FILES_LIMIT: Metric = gauge("process.unix.file_descriptor.limit", "{file_descriptor}");
/// Open file descriptors by `file_descriptor.kind`: file, socket, pipe, other.
pub const FILES_BY_KIND: Metric = gauge(
    "process.unix.file_descriptor.kind.count",
    "{file_descriptor}",
);
/// Its TCP connections by `network.connection.state`.
pub const CONNECTIONS: Metric = gauge("process.network.connection.count", "{connection}");
