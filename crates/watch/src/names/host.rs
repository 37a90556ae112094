//! Series of a host (OpenTelemetry: system metrics).

use super::{Metric, counter, gauge};

/// CPU time by `cpu.logical_number` and `cpu.mode` (user with guests, nice, system, idle,
/// iowait, interrupt, softirq, steal).
pub const CPU_TIME: Metric = counter("system.cpu.time", "s");
/// CPUs that are online.
pub const CPU_COUNT: Metric = gauge("system.cpu.logical.count", "{cpu}");
/// Tasks that run or want to.
pub const RUN_QUEUE: Metric = gauge("system.cpu.run_queue", "{task}");
/// Tasks in uninterruptible sleep, mostly waiting for a disk.
pub const BLOCKED: Metric = gauge("system.cpu.blocked", "{task}");
/// Load average of the last minute.
pub const LOAD_AVERAGE: Metric = gauge("system.cpu.load_average.1m", "{task}");
/// Context switches of all CPUs.
pub const CONTEXT_SWITCHES: Metric = counter("system.cpu.context_switches", "{context_switch}");
/// Interrupts served by all CPUs.
pub const INTERRUPTS: Metric = counter("system.cpu.interrupts", "{interrupt}");
/// Processes and threads created.
pub const FORKS: Metric = counter("system.process.created", "{process}");
/// Time in which tasks stood still for want of a `pressure.resource` (cpu, memory, io):
/// `pressure.stall` some of them, or full: all at once (PSI).
pub const PRESSURE: Metric = counter("system.pressure.stall.time", "s");

/// Memory by `system.memory.state`: used, free, buffers, cached (with reclaimable slab).
pub const MEMORY_USAGE: Metric = gauge("system.memory.usage", "By");
/// All memory.
pub const MEMORY_LIMIT: Metric = gauge("system.memory.limit", "By");
/// Memory that programs can have without swapping, as the kernel estimates.
pub const MEMORY_AVAILABLE: Metric = gauge("system.linux.memory.available", "By");
/// Changed pages that are not on disk yet.
pub const MEMORY_DIRTY: Metric = gauge("system.linux.memory.dirty", "By");
/// Processes that the kernel killed for want of memory.
pub const OOM_KILLS: Metric = counter("system.memory.oom_kills", "{process}");
/// Swap space by `system.paging.state`: used, free.
pub const SWAP_USAGE: Metric = gauge("system.paging.usage", "By");
/// Pages swapped, by `system.paging.direction`: in, out.
pub const SWAPPED: Metric = counter("system.paging.operations", "{operation}");
/// Page faults by `system.paging.fault.type`: major (from disk), minor.
pub const PAGE_FAULTS: Metric = counter("system.paging.faults", "{fault}");

/// Bytes by `disk.io.direction` (read, write) and `system.device`.
pub const DISK_IO: Metric = counter("system.disk.io", "By");
/// Operations done by `disk.io.direction` (read, write, flush) and `system.device`.
pub const DISK_OPERATIONS: Metric = counter("system.disk.operations", "{operation}");
/// Time that operations took, waiting included, by `disk.io.direction` and `system.device`;
/// divided by operations it is the await of iostat.
pub const DISK_OPERATION_TIME: Metric = counter("system.disk.operation_time", "s");
/// Time in which a `system.device` had something to do: the %util of iostat.
pub const DISK_IO_TIME: Metric = counter("system.disk.io_time", "s");
/// Operations that a `system.device` has before it.
pub const DISK_PENDING: Metric = gauge("system.disk.pending_operations", "{operation}");
/// Operations times their time at a `system.device`; its rate is the queue length of iostat.
pub const DISK_WEIGHTED_TIME: Metric = counter("system.disk.weighted_io_time", "s");
/// Space by `system.device`, `system.filesystem.mountpoint`, `system.filesystem.state`
/// (used, free, reserved) and `system.filesystem.type`.
pub const FILESYSTEM_USAGE: Metric = gauge("system.filesystem.usage", "By");
/// Inodes by the same, without reserved.
pub const FILESYSTEM_INODES: Metric = gauge("system.filesystem.inodes.usage", "{inode}");

/// Bytes by `network.interface.name` and `network.io.direction` (receive, transmit).
pub const NETWORK_IO: Metric = counter("system.network.io", "By");
/// Packets by the same.
pub const NETWORK_PACKETS: Metric = counter("system.network.packet.count", "{packet}");
/// Packets dropped by the same.
pub const NETWORK_DROPPED: Metric = counter("system.network.packet.dropped", "{packet}");
/// Packets with errors by the same.
pub const NETWORK_ERRORS: Metric = counter("system.network.errors", "{error}");
/// What a `network.interface.name` can carry each way: the speed of the link.
pub const NETWORK_LIMIT: Metric = gauge("system.network.bandwidth.limit", "By/s");
/// What the traffic shaper (tbf) before a `network.interface.name` lets through.
pub const SHAPER_LIMIT: Metric = gauge("system.network.shaper.limit", "By/s");
/// Packets dropped by the queue (qdisc) before a `network.interface.name`.
pub const QUEUE_DROPPED: Metric = counter("system.network.queue.dropped", "{packet}");
/// Packets that found the shaper before a `network.interface.name` at its limit.
pub const QUEUE_OVERLIMITS: Metric = counter("system.network.queue.overlimits", "{packet}");
/// Bytes that wait in the queue before a `network.interface.name`.
pub const QUEUE_BACKLOG: Metric = gauge("system.network.queue.backlog", "By");

/// TCP segments by `network.io.direction`.
pub const TCP_SEGMENTS: Metric = counter("system.tcp.segments", "{segment}");
/// TCP segments sent again.
pub const TCP_RETRANSMITS: Metric = counter("system.tcp.retransmits", "{segment}");
/// SYNs and SYN-ACKs sent again: connections that got no response in time.
pub const TCP_SYN_RETRANSMITS: Metric = counter("system.tcp.syn.retransmits", "{segment}");
/// Retransmission timers that ran out.
pub const TCP_TIMEOUTS: Metric = counter("system.tcp.timeouts", "{timeout}");
/// Acknowledgements that were sent late, since there was nothing else to send.
pub const TCP_DELAYED_ACKS: Metric = counter("system.tcp.delayed_acks", "{segment}");
/// Connections opened, by `tcp.open` (active: to others, passive: from others).
pub const TCP_OPENS: Metric = counter("system.tcp.opens", "{connection}");
/// Connections that were refused or given up before they stood.
pub const TCP_ATTEMPT_FAILS: Metric = counter("system.tcp.attempt_fails", "{connection}");
/// Connections that stood and were reset.
pub const TCP_RESETS: Metric = counter("system.tcp.resets", "{connection}");
/// Resets sent.
pub const TCP_RESETS_SENT: Metric = counter("system.tcp.resets.sent", "{segment}");
/// Connections that found an accept queue full.
pub const TCP_LISTEN_OVERFLOWS: Metric = counter("system.tcp.listen.overflows", "{connection}");
/// SYNs and connections that a listening socket dropped, for whatever reason.
pub const TCP_LISTEN_DROPS: Metric = counter("system.tcp.listen.drops", "{connection}");
/// SYNs that found the SYN queue full, by `tcp.syn` (dropped, cookie: a cookie was sent back).
pub const TCP_SYN_QUEUE_FULL: Metric = counter("system.tcp.syn.queue_full", "{segment}");
/// Connections cut for want of memory for TCP.
pub const TCP_ABORT_ON_MEMORY: Metric = counter("system.tcp.abort_on_memory", "{connection}");
/// TIME_WAIT sockets that were not kept because there were too many.
pub const TCP_TIME_WAIT_OVERFLOWS: Metric =
    counter("system.tcp.time_wait.overflows", "{connection}");
/// TCP sockets in TIME_WAIT.
pub const TCP_TIME_WAIT: Metric = gauge("system.tcp.time_wait", "{connection}");
/// TCP sockets that no process holds any more and that still have something to send.
pub const TCP_ORPHANS: Metric = gauge("system.tcp.orphans", "{connection}");
/// Memory of TCP's buffers.
pub const TCP_MEMORY: Metric = gauge("system.tcp.memory", "By");
/// UDP datagrams dropped because a receive buffer was full.
pub const UDP_RECEIVE_DROPS: Metric = counter("system.udp.receive_buffer_errors", "{packet}");

/// Connections that wait to be accepted at the `server.port`.
pub const LISTEN_QUEUE: Metric = gauge("system.tcp.listen.queue.length", "{connection}");
/// How many may wait at the `server.port`.
pub const LISTEN_QUEUE_LIMIT: Metric = gauge("system.tcp.listen.queue.limit", "{connection}");
/// Connections that the sockets listening at the `server.port` dropped since they are open.
pub const LISTEN_SOCKET_DROPS: Metric = counter("system.tcp.listen.socket.drops", "{connection}");
/// TCP connections by `network.connection.state` and `network.transport`.
pub const CONNECTIONS: Metric = gauge("system.network.connection.count", "{connection}");
/// TCP connections by `network.connection.state` and peer: `client.address` and own
/// `server.port` where this side listens, else `server.address` and `server.port`. Peers
/// beyond the 100 that came first are `other`.
pub const PEER_CONNECTIONS: Metric = gauge("system.network.peer.connection.count", "{connection}");
/// Local ports of the ephemeral range in use, TIME_WAIT included.
pub const PORTS_USED: Metric = gauge("system.network.ephemeral_port.used", "{port}");
/// Of these, those used towards the one address and port that has most; it is their number
/// that runs out.
pub const PORTS_USED_BY_ONE: Metric =
    gauge("system.network.ephemeral_port.used_by_one_peer", "{port}");
/// Size of the ephemeral range.
pub const PORTS_LIMIT: Metric = gauge("system.network.ephemeral_port.limit", "{port}");

/// File descriptors in use on the whole host.
pub const FILES: Metric = gauge("system.file_descriptor.used", "{file_descriptor}");
/// File descriptors that the host may have.
pub const FILES_LIMIT: Metric = gauge("system.file_descriptor.limit", "{file_descriptor}");
/// Connections that the firewall tracks.
pub const CONNTRACK: Metric = gauge("system.network.conntrack.count", "{connection}");
/// Connections that it can track; beyond, packets are dropped.
pub const CONNTRACK_LIMIT: Metric = gauge("system.network.conntrack.max", "{connection}");

/// CPUs' worth of time that a control group may use (quota ÷ period); absent without limit.
/// Of a host: the group this program is in.
pub const CGROUP_CPU_LIMIT: Metric = gauge("cgroup.cpu.limit", "{cpu}");
/// CPU time that the group has used.
pub const CGROUP_CPU_TIME: Metric = counter("cgroup.cpu.time", "s");
/// Periods in which the group wanted to run.
pub const CGROUP_PERIODS: Metric = counter("cgroup.cpu.periods", "{period}");
/// Periods in which the group was stopped because its quota was exhausted.
pub const CGROUP_THROTTLED_PERIODS: Metric = counter("cgroup.cpu.throttled.periods", "{period}");
/// Time for which it was stopped.
pub const CGROUP_THROTTLED_TIME: Metric = counter("cgroup.cpu.throttled.time", "s");
/// Memory of the group, page cache included.
pub const CGROUP_MEMORY: Metric = gauge("cgroup.memory.usage", "By");
/// Memory that the group may have; absent without limit.
pub const CGROUP_MEMORY_LIMIT: Metric = gauge("cgroup.memory.limit", "By");
/// How often the group came up against its memory limit.
pub const CGROUP_MEMORY_LIMITED: Metric = counter("cgroup.memory.limited", "{event}");
/// Processes of the group killed for want of memory.
pub const CGROUP_OOM_KILLS: Metric = counter("cgroup.memory.oom_kills", "{process}");
/// Tasks of the group.
pub const CGROUP_TASKS: Metric = gauge("cgroup.tasks", "{task}");
/// Tasks that the group may have; absent without limit.
pub const CGROUP_TASKS_LIMIT: Metric = gauge("cgroup.tasks.limit", "{task}");
