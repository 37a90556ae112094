//! Series of a host (OpenTelemetry: system metrics).

use super::{SeriesName, counter, gauge};

/// CPU time by `cpu.logical_number` and `cpu.mode` (user with guests, nice, system, idle,
/// iowait, interrupt, softirq, steal).
pub const CPU_TIME: SeriesName = counter("system.cpu.time", "s");
/// CPUs that are online.
pub const CPU_COUNT: SeriesName = gauge("system.cpu.logical.count", "{cpu}");
/// Tasks that run or want to.
pub const RUN_QUEUE: SeriesName = gauge("system.cpu.run_queue", "{task}");
/// Tasks in uninterruptible sleep, mostly waiting for a disk.
pub const BLOCKED: SeriesName = gauge("system.cpu.blocked", "{task}");
/// Load average of the last minute.
pub const LOAD_AVERAGE: SeriesName = gauge("system.cpu.load_average.1m", "{task}");
/// Context switches of all CPUs.
pub const CONTEXT_SWITCHES: SeriesName = counter("system.cpu.context_switches", "{context_switch}");
/// Interrupts served by all CPUs.
pub const INTERRUPTS: SeriesName = counter("system.cpu.interrupts", "{interrupt}");
/// Processes and threads created.
pub const FORKS: SeriesName = counter("system.process.created", "{process}");
/// Time in which tasks stood still for want of a `pressure.resource` (cpu, memory, io):
/// `pressure.stall` some of them, or full: all at once (PSI).
pub const PRESSURE: SeriesName = counter("system.pressure.stall.time", "s");

/// Memory by `system.memory.state`: used, free, buffers, cached (with reclaimable slab).
pub const MEMORY_USAGE: SeriesName = gauge("system.memory.usage", "By");
/// All memory.
pub const MEMORY_LIMIT: SeriesName = gauge("system.memory.limit", "By");
/// Memory that programs can have without swapping, as the kernel estimates.
pub const MEMORY_AVAILABLE: SeriesName = gauge("system.linux.memory.available", "By");
/// Changed pages that are not on disk yet.
pub const MEMORY_DIRTY: SeriesName = gauge("system.linux.memory.dirty", "By");
/// Processes that the kernel killed for want of memory.
pub const OOM_KILLS: SeriesName = counter("system.memory.oom_kills", "{process}");
/// Swap space by `system.paging.state`: used, free.
pub const SWAP_USAGE: SeriesName = gauge("system.paging.usage", "By");
/// Pages swapped, by `system.paging.direction`: in, out.
pub const SWAPPED: SeriesName = counter("system.paging.operations", "{operation}");
/// Page faults by `system.paging.fault.type`: major (from disk), minor.
pub const PAGE_FAULTS: SeriesName = counter("system.paging.faults", "{fault}");

/// Bytes by `disk.io.direction` (read, write) and `system.device`.
pub const DISK_IO: SeriesName = counter("system.disk.io", "By");
/// Operations done by `disk.io.direction` (read, write, flush) and `system.device`.
pub const DISK_OPERATIONS: SeriesName = counter("system.disk.operations", "{operation}");
/// Time that operations took, waiting included, by `disk.io.direction` and `system.device`;
/// divided by operations it is the await of iostat.
pub const DISK_OPERATION_TIME: SeriesName = counter("system.disk.operation_time", "s");
/// Time in which a `system.device` had something to do: the %util of iostat.
pub const DISK_IO_TIME: SeriesName = counter("system.disk.io_time", "s");
/// Operations that a `system.device` has before it.
pub const DISK_PENDING: SeriesName = gauge("system.disk.pending_operations", "{operation}");
/// Operations times their time at a `system.device`; its rate is the queue length of iostat.
pub const DISK_WEIGHTED_TIME: SeriesName = counter("system.disk.weighted_io_time", "s");
/// Space by `system.device`, `system.filesystem.mountpoint`, `system.filesystem.state`
/// (used, free, reserved) and `system.filesystem.type`; those in memory (tmpfs), too. Of a process: those that
/// it has written to, and all of a container's own.
pub const FILESYSTEM_USAGE: SeriesName = gauge("system.filesystem.usage", "By");
/// Inodes by the same, without reserved; where their number is fixed.
pub const FILESYSTEM_INODES: SeriesName = gauge("system.filesystem.inodes.usage", "{inode}");

/// Bytes by `network.interface.name` and `network.io.direction` (receive, transmit).
pub const NETWORK_IO: SeriesName = counter("system.network.io", "By");
/// Packets by the same.
pub const NETWORK_PACKETS: SeriesName = counter("system.network.packet.count", "{packet}");
/// Packets dropped by the same.
pub const NETWORK_DROPPED: SeriesName = counter("system.network.packet.dropped", "{packet}");
/// Packets with errors by the same.
pub const NETWORK_ERRORS: SeriesName = counter("system.network.errors", "{error}");
/// What a `network.interface.name` can carry each way: the speed of the link.
pub const NETWORK_LIMIT: SeriesName = gauge("system.network.bandwidth.limit", "By/s");
/// What the traffic shaper (tbf) before a `network.interface.name` lets through.
pub const SHAPER_LIMIT: SeriesName = gauge("system.network.shaper.limit", "By/s");
/// Packets dropped by the queue (qdisc) before a `network.interface.name`.
pub const QUEUE_DROPPED: SeriesName = counter("system.network.queue.dropped", "{packet}");
/// Packets that found the shaper before a `network.interface.name` at its limit.
pub const QUEUE_OVERLIMITS: SeriesName = counter("system.network.queue.overlimits", "{packet}");
/// Bytes that wait in the queue before a `network.interface.name`.
pub const QUEUE_BACKLOG: SeriesName = gauge("system.network.queue.backlog", "By");

/// TCP segments by `network.io.direction`.
pub const TCP_SEGMENTS: SeriesName = counter("system.tcp.segments", "{segment}");
/// TCP segments sent again.
pub const TCP_RETRANSMITS: SeriesName = counter("system.tcp.retransmits", "{segment}");
/// SYNs and SYN-ACKs sent again: connections that got no response in time.
pub const TCP_SYN_RETRANSMITS: SeriesName = counter("system.tcp.syn.retransmits", "{segment}");
/// Ends of handshakes that were left out because the client's first bytes are waited for (TCP_DEFER_ACCEPT): each is
/// among the drops of its listening socket, and nothing is lost.
pub const TCP_DEFERRED: SeriesName = counter("system.tcp.deferred", "{segment}");
/// Retransmission timers that ran out.
pub const TCP_TIMEOUTS: SeriesName = counter("system.tcp.timeouts", "{timeout}");
/// Acknowledgements that were sent late, since there was nothing else to send.
pub const TCP_DELAYED_ACKS: SeriesName = counter("system.tcp.delayed_acks", "{segment}");
/// Connections opened, by `tcp.open` (active: to others, passive: from others).
pub const TCP_OPENS: SeriesName = counter("system.tcp.opens", "{connection}");
/// Connections that were refused or given up before they stood.
pub const TCP_ATTEMPT_FAILS: SeriesName = counter("system.tcp.attempt_fails", "{connection}");
/// Connections that stood and were reset.
pub const TCP_RESETS: SeriesName = counter("system.tcp.resets", "{connection}");
/// Resets sent.
pub const TCP_RESETS_SENT: SeriesName = counter("system.tcp.resets.sent", "{segment}");
/// Connections that found an accept queue full.
pub const TCP_LISTEN_OVERFLOWS: SeriesName = counter("system.tcp.listen.overflows", "{connection}");
/// SYNs and connections that a listening socket dropped, for whatever reason.
pub const TCP_LISTEN_DROPS: SeriesName = counter("system.tcp.listen.drops", "{connection}");
/// SYNs that found the SYN queue full, by `tcp.syn` (dropped, cookie: a cookie was sent back).
pub const TCP_SYN_QUEUE_FULL: SeriesName = counter("system.tcp.syn.queue_full", "{segment}");
/// Connections cut for want of memory for TCP.
pub const TCP_ABORT_ON_MEMORY: SeriesName = counter("system.tcp.abort_on_memory", "{connection}");
/// TIME_WAIT sockets that were not kept because there were too many.
pub const TCP_TIME_WAIT_OVERFLOWS: SeriesName =
    counter("system.tcp.time_wait.overflows", "{connection}");
/// TCP sockets in TIME_WAIT.
pub const TCP_TIME_WAIT: SeriesName = gauge("system.tcp.time_wait", "{connection}");
/// TCP sockets that no process holds any more and that still have something to send.
pub const TCP_ORPHANS: SeriesName = gauge("system.tcp.orphans", "{connection}");
/// Memory of TCP's buffers.
pub const TCP_MEMORY: SeriesName = gauge("system.tcp.memory", "By");
/// UDP datagrams dropped because a receive buffer was full.
pub const UDP_RECEIVE_DROPS: SeriesName = counter("system.udp.receive_buffer_errors", "{packet}");

/// Connections that wait to be accepted at the `server.port`.
pub const LISTEN_QUEUE: SeriesName = gauge("system.tcp.listen.queue.length", "{connection}");
/// How many may wait at the `server.port`.
pub const LISTEN_QUEUE_LIMIT: SeriesName = gauge("system.tcp.listen.queue.limit", "{connection}");
/// Connections that the sockets listening at the `server.port` dropped since they are open.
pub const LISTEN_SOCKET_DROPS: SeriesName =
    counter("system.tcp.listen.socket.drops", "{connection}");
/// TCP connections by `network.connection.state` and `network.transport`.
pub const CONNECTIONS: SeriesName = gauge("system.network.connection.count", "{connection}");
/// TCP connections by `network.connection.state` and peer: `client.address` and own
/// `server.port` where this side listens, else `server.address` and `server.port`. Peers
/// beyond the 100 that came first are `other`.
pub const PEER_CONNECTIONS: SeriesName =
    gauge("system.network.peer.connection.count", "{connection}");
/// Local ports of the ephemeral range in use, TIME_WAIT included.
pub const PORTS_USED: SeriesName = gauge("system.network.ephemeral_port.used", "{port}");
/// Of these, those used towards the one address and port that has most; it is their number
/// that runs out.
pub const PORTS_USED_BY_ONE: SeriesName =
    gauge("system.network.ephemeral_port.used_by_one_peer", "{port}");
/// Size of the ephemeral range.
pub const PORTS_LIMIT: SeriesName = gauge("system.network.ephemeral_port.limit", "{port}");

/// File descriptors in use on the whole host.
pub const FILES: SeriesName = gauge("system.file_descriptor.used", "{file_descriptor}");
/// File descriptors that the host may have.
pub const FILES_LIMIT: SeriesName = gauge("system.file_descriptor.limit", "{file_descriptor}");
/// Connections that the firewall tracks.
pub const CONNTRACK: SeriesName = gauge("system.network.conntrack.count", "{connection}");
/// Connections that it can track; beyond, packets are dropped.
pub const CONNTRACK_LIMIT: SeriesName = gauge("system.network.conntrack.max", "{connection}");
/// What the firewall could not track, by `conntrack.drop`: packet (of a new connection, dropped for want
/// of room), insert (not taken in after all, and dropped), early (an old connection given up for a new
/// one).
pub const CONNTRACK_DROPPED: SeriesName = counter("system.network.conntrack.dropped", "{packet}");

/// CPUs' worth of time that a control group may use (quota ÷ period); absent without limit.
/// Of a host: the group this program is in.
pub const CGROUP_CPU_LIMIT: SeriesName = gauge("cgroup.cpu.limit", "{cpu}");
/// CPU time that the group has used.
pub const CGROUP_CPU_TIME: SeriesName = counter("cgroup.cpu.time", "s");
/// Periods in which the group wanted to run.
pub const CGROUP_PERIODS: SeriesName = counter("cgroup.cpu.periods", "{period}");
/// Periods in which the group was stopped because its quota was exhausted.
pub const CGROUP_THROTTLED_PERIODS: SeriesName =
    counter("cgroup.cpu.throttled.periods", "{period}");
/// Time for which it was stopped.
pub const CGROUP_THROTTLED_TIME: SeriesName = counter("cgroup.cpu.throttled.time", "s");
/// Time in which tasks of the group stood still for want of a `pressure.resource` (cpu, memory, io):
/// `pressure.stall` some of them, or full: all at once (PSI, cgroup v2).
pub const CGROUP_PRESSURE: SeriesName = counter("cgroup.pressure.stall.time", "s");
/// Memory of the group, page cache included.
pub const CGROUP_MEMORY: SeriesName = gauge("cgroup.memory.usage", "By");
/// Memory that the group may have; absent without limit.
pub const CGROUP_MEMORY_LIMIT: SeriesName = gauge("cgroup.memory.limit", "By");
/// How often the group came up against its memory limit.
pub const CGROUP_MEMORY_LIMITED: SeriesName = counter("cgroup.memory.limited", "{event}");
/// Memory beyond which the group is slowed down (`memory.high`); absent without.
pub const CGROUP_MEMORY_HIGH: SeriesName = gauge("cgroup.memory.high", "By");
/// How often the group was slowed down for being beyond it, and had to give memory back.
pub const CGROUP_MEMORY_THROTTLED: SeriesName = counter("cgroup.memory.throttled", "{event}");
/// Processes of the group killed for want of memory.
pub const CGROUP_OOM_KILLS: SeriesName = counter("cgroup.memory.oom_kills", "{process}");
/// Tasks of the group.
pub const CGROUP_TASKS: SeriesName = gauge("cgroup.tasks", "{task}");
/// Tasks that the group may have; absent without limit.
pub const CGROUP_TASKS_LIMIT: SeriesName = gauge("cgroup.tasks.limit", "{task}");
/// Processes and threads that could not be made since the group had as many as it may have.
pub const CGROUP_TASKS_LIMITED: SeriesName = counter("cgroup.tasks.limited", "{event}");
