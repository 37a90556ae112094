//! node_exporter.

use plimsoll_stats::series::EntityKind::Host;

use super::super::facts::PrometheusFacts;
use super::super::rule::{LabelRule, PrometheusRule, label, rule};
use super::super::text::PrometheusSample;
use crate::names::SeriesName;
use crate::names::host as names;

type Fixed = &'static [(&'static str, &'static str)];

const CPU: &[LabelRule] = &[
    label("cpu", "cpu.logical_number"),
    label("mode", "cpu.mode").values(&[("irq", "interrupt")]),
];
const DEVICE: &[LabelRule] = &[label("device", "system.device")];
const INTERFACE: &[LabelRule] = &[label("device", "network.interface.name")];
const FILESYSTEM: &[LabelRule] = &[
    label("device", "system.device"),
    label("fstype", "system.filesystem.type").among(ON_DISK),
    label("mountpoint", "system.filesystem.mountpoint"),
];
/// The exporter tells of file systems in memory too.
const ON_DISK: &[&str] = &[
    "btrfs", "ext2", "ext3", "ext4", "exfat", "f2fs", "overlay", "vfat", "xfs", "zfs",
];

const USED_MEMORY: Fixed = &[("system.memory.state", "used")];
const USED_SWAP: Fixed = &[("system.paging.state", "used")];
const USED_SPACE: Fixed = &[("system.filesystem.state", "used")];
const FREE_SPACE: Fixed = &[("system.filesystem.state", "free")];
const RESERVED: Fixed = &[("system.filesystem.state", "reserved")];
const MAJOR: Fixed = &[("system.paging.fault.type", "major")];
const MINOR: Fixed = &[("system.paging.fault.type", "minor")];
const READ: Fixed = &[("disk.io.direction", "read")];
const WRITE: Fixed = &[("disk.io.direction", "write")];
const FLUSH: Fixed = &[("disk.io.direction", "flush")];
const RECEIVE: Fixed = &[("network.io.direction", "receive")];
const TRANSMIT: Fixed = &[("network.io.direction", "transmit")];

const fn host(name: &'static str, metric: &'static SeriesName) -> PrometheusRule {
    rule(name, Host, metric)
}

const fn memory(name: &'static str, state: Fixed) -> PrometheusRule {
    host(name, &names::MEMORY_USAGE).fixed(state)
}

/// Used is what is neither free nor cache.
const fn unused(name: &'static str) -> PrometheusRule {
    memory(name, USED_MEMORY).scale(-1.0).also()
}

const fn pressure(name: &'static str, of: Fixed) -> PrometheusRule {
    host(name, &names::PRESSURE).fixed(of)
}

const fn disk(name: &'static str, metric: &'static SeriesName, direction: Fixed) -> PrometheusRule {
    host(name, metric).labels(DEVICE).fixed(direction)
}

const fn network(
    name: &'static str,
    metric: &'static SeriesName,
    direction: Fixed,
) -> PrometheusRule {
    host(name, metric).labels(INTERFACE).fixed(direction)
}

const fn space(name: &'static str, state: Fixed) -> PrometheusRule {
    host(name, &names::FILESYSTEM_USAGE)
        .labels(FILESYSTEM)
        .fixed(state)
}

const fn inodes(name: &'static str, state: Fixed) -> PrometheusRule {
    host(name, &names::FILESYSTEM_INODES)
        .labels(FILESYSTEM)
        .fixed(state)
}

pub(super) static RULES: &[PrometheusRule] = &[
    host("node_cpu_seconds_total", &names::CPU_COUNT)
        .only(&[("mode", "idle")])
        .counted()
        .also(),
    host("node_cpu_seconds_total", &names::CPU_TIME).labels(CPU),
    host("node_procs_running", &names::RUN_QUEUE),
    host("node_procs_blocked", &names::BLOCKED),
    host("node_load1", &names::LOAD_AVERAGE),
    host("node_context_switches_total", &names::CONTEXT_SWITCHES),
    host("node_intr_total", &names::INTERRUPTS),
    host("node_forks_total", &names::FORKS),
    pressure(
        "node_pressure_cpu_waiting_seconds_total",
        &[("pressure.resource", "cpu"), ("pressure.stall", "some")],
    ),
    pressure(
        "node_pressure_io_waiting_seconds_total",
        &[("pressure.resource", "io"), ("pressure.stall", "some")],
    ),
    pressure(
        "node_pressure_io_stalled_seconds_total",
        &[("pressure.resource", "io"), ("pressure.stall", "full")],
    ),
    pressure(
        "node_pressure_memory_waiting_seconds_total",
        &[("pressure.resource", "memory"), ("pressure.stall", "some")],
    ),
    pressure(
        "node_pressure_memory_stalled_seconds_total",
        &[("pressure.resource", "memory"), ("pressure.stall", "full")],
    ),
    host("node_memory_MemTotal_bytes", &names::MEMORY_LIMIT).also(),
    memory("node_memory_MemTotal_bytes", USED_MEMORY),
    unused("node_memory_MemFree_bytes"),
    memory(
        "node_memory_MemFree_bytes",
        &[("system.memory.state", "free")],
    ),
    unused("node_memory_Buffers_bytes"),
    memory(
        "node_memory_Buffers_bytes",
        &[("system.memory.state", "buffers")],
    ),
    unused("node_memory_Cached_bytes"),
    memory(
        "node_memory_Cached_bytes",
        &[("system.memory.state", "cached")],
    ),
    unused("node_memory_SReclaimable_bytes"),
    memory(
        "node_memory_SReclaimable_bytes",
        &[("system.memory.state", "cached")],
    ),
    host("node_memory_MemAvailable_bytes", &names::MEMORY_AVAILABLE),
    host("node_memory_Dirty_bytes", &names::MEMORY_DIRTY),
    host("node_memory_SwapTotal_bytes", &names::SWAP_USAGE).fixed(USED_SWAP),
    host("node_memory_SwapFree_bytes", &names::SWAP_USAGE)
        .fixed(USED_SWAP)
        .scale(-1.0)
        .also(),
    host("node_memory_SwapFree_bytes", &names::SWAP_USAGE)
        .fixed(&[("system.paging.state", "free")]),
    host("node_vmstat_pgfault", &names::PAGE_FAULTS).fixed(MINOR),
    host("node_vmstat_pgmajfault", &names::PAGE_FAULTS)
        .fixed(MINOR)
        .scale(-1.0)
        .also(),
    host("node_vmstat_pgmajfault", &names::PAGE_FAULTS).fixed(MAJOR),
    host("node_vmstat_pswpin", &names::SWAPPED).fixed(&[("system.paging.direction", "in")]),
    host("node_vmstat_pswpout", &names::SWAPPED).fixed(&[("system.paging.direction", "out")]),
    host("node_vmstat_oom_kill", &names::OOM_KILLS),
    disk("node_disk_read_bytes_total", &names::DISK_IO, READ),
    disk("node_disk_written_bytes_total", &names::DISK_IO, WRITE),
    disk(
        "node_disk_reads_completed_total",
        &names::DISK_OPERATIONS,
        READ,
    ),
    disk(
        "node_disk_writes_completed_total",
        &names::DISK_OPERATIONS,
        WRITE,
    ),
    disk(
        "node_disk_flush_requests_total",
        &names::DISK_OPERATIONS,
        FLUSH,
    ),
    disk(
        "node_disk_read_time_seconds_total",
        &names::DISK_OPERATION_TIME,
        READ,
    ),
    disk(
        "node_disk_write_time_seconds_total",
        &names::DISK_OPERATION_TIME,
        WRITE,
    ),
    disk(
        "node_disk_flush_requests_time_seconds_total",
        &names::DISK_OPERATION_TIME,
        FLUSH,
    ),
    disk("node_disk_io_time_seconds_total", &names::DISK_IO_TIME, &[]),
    disk(
        "node_disk_io_time_weighted_seconds_total",
        &names::DISK_WEIGHTED_TIME,
        &[],
    ),
    disk("node_disk_io_now", &names::DISK_PENDING, &[]),
    space("node_filesystem_size_bytes", USED_SPACE),
    space("node_filesystem_free_bytes", USED_SPACE)
        .scale(-1.0)
        .also(),
    space("node_filesystem_free_bytes", RESERVED),
    space("node_filesystem_avail_bytes", RESERVED)
        .scale(-1.0)
        .also(),
    space("node_filesystem_avail_bytes", FREE_SPACE),
    inodes("node_filesystem_files", USED_SPACE),
    inodes("node_filesystem_files_free", USED_SPACE)
        .scale(-1.0)
        .also(),
    inodes("node_filesystem_files_free", FREE_SPACE),
    network(
        "node_network_receive_bytes_total",
        &names::NETWORK_IO,
        RECEIVE,
    ),
    network(
        "node_network_transmit_bytes_total",
        &names::NETWORK_IO,
        TRANSMIT,
    ),
    network(
        "node_network_receive_packets_total",
        &names::NETWORK_PACKETS,
        RECEIVE,
    ),
    network(
        "node_network_transmit_packets_total",
        &names::NETWORK_PACKETS,
        TRANSMIT,
    ),
    network(
        "node_network_receive_drop_total",
        &names::NETWORK_DROPPED,
        RECEIVE,
    ),
    network(
        "node_network_transmit_drop_total",
        &names::NETWORK_DROPPED,
        TRANSMIT,
    ),
    network(
        "node_network_receive_errs_total",
        &names::NETWORK_ERRORS,
        RECEIVE,
    ),
    network(
        "node_network_transmit_errs_total",
        &names::NETWORK_ERRORS,
        TRANSMIT,
    ),
    // A virtual link says -1 Mbit/s.
    network("node_network_speed_bytes", &names::NETWORK_LIMIT, &[]).positive(),
    host("node_netstat_Tcp_InSegs", &names::TCP_SEGMENTS).fixed(RECEIVE),
    host("node_netstat_Tcp_OutSegs", &names::TCP_SEGMENTS).fixed(TRANSMIT),
    host("node_netstat_Tcp_RetransSegs", &names::TCP_RETRANSMITS),
    host(
        "node_netstat_TcpExt_TCPSynRetrans",
        &names::TCP_SYN_RETRANSMITS,
    ),
    host("node_netstat_TcpExt_TCPTimeouts", &names::TCP_TIMEOUTS),
    host("node_netstat_Tcp_ActiveOpens", &names::TCP_OPENS).fixed(&[("tcp.open", "active")]),
    host("node_netstat_Tcp_PassiveOpens", &names::TCP_OPENS).fixed(&[("tcp.open", "passive")]),
    host("node_netstat_Tcp_OutRsts", &names::TCP_RESETS_SENT),
    host(
        "node_netstat_TcpExt_ListenOverflows",
        &names::TCP_LISTEN_OVERFLOWS,
    ),
    host("node_netstat_TcpExt_ListenDrops", &names::TCP_LISTEN_DROPS),
    host("node_netstat_Udp_RcvbufErrors", &names::UDP_RECEIVE_DROPS),
    host("node_sockstat_TCP_tw", &names::TCP_TIME_WAIT),
    host("node_sockstat_TCP_orphan", &names::TCP_ORPHANS),
    host("node_sockstat_TCP_mem_bytes", &names::TCP_MEMORY),
    host("node_filefd_allocated", &names::FILES),
    host("node_filefd_maximum", &names::FILES_LIMIT),
    host("node_nf_conntrack_entries", &names::CONNTRACK),
    host("node_nf_conntrack_entries_limit", &names::CONNTRACK_LIMIT),
];

/// Settings of the system, by the names of the host's own.
pub(super) fn facts(sample: &PrometheusSample<'_>) -> Option<PrometheusFacts> {
    let names: &[_] = match sample.name {
        "node_uname_info" => &[("release", "kernel.osrelease")],
        "node_os_info" => &[("pretty_name", "os.description")],
        "node_time_clocksource_current_info" => &[("clocksource", "clocksource")],
        // Of every device and interface, on a host with many.
        "node_disk_info" | "node_network_info" | "node_dmi_info" => &[],
        "node_time_clocksource_available_info" => &[],
        _ => return None,
    };
    Some(PrometheusFacts::labels(sample, Host, names))
}
