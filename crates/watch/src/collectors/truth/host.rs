//! A host by the kernel's files and by node_exporter.

use std::fmt::Write;
use std::path::Path;

use super::{Said, Shown, Truth, compare, exposed};
use crate::collectors::host::seen_below;
use crate::proc::stat::ticks_to_seconds;

const MODES: [(&str, &str); 8] = [
    ("user", "user"),
    ("nice", "nice"),
    ("system", "system"),
    ("idle", "idle"),
    ("iowait", "iowait"),
    ("interrupt", "irq"),
    ("softirq", "softirq"),
    ("steal", "steal"),
];
const MEMORY: [&str; 9] = [
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Buffers",
    "Cached",
    "SReclaimable",
    "Dirty",
    "SwapTotal",
    "SwapFree",
];
const VMSTAT: [&str; 5] = ["pgfault", "pgmajfault", "pswpin", "pswpout", "oom_kill"];
const SNMP: [(&str, &[&str]); 2] = [
    (
        "Tcp",
        &[
            "ActiveOpens",
            "PassiveOpens",
            "InSegs",
            "OutSegs",
            "RetransSegs",
            "OutRsts",
        ],
    ),
    ("Udp", &["RcvbufErrors"]),
];
const NETSTAT: &[&str] = &[
    "ListenOverflows",
    "ListenDrops",
    "TCPSynRetrans",
    "TCPTimeouts",
];

/// The kernel's files, below a folder.
struct Files<'a>(&'a Path);

impl Files<'_> {
    fn put(&self, path: &str, text: impl AsRef<str>) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.as_ref()).unwrap();
    }
}

fn write_kernel(truth: &Truth, files: &Files<'_>, mount: &Path) {
    let n = |what: &str| truth.n(what);
    let times: Vec<String> = MODES.iter().map(|(mode, _)| n(mode).to_string()).collect();
    files.put(
        "proc/stat",
        format!(
            "cpu0 {}\nintr {}\nctxt {}\nprocesses {}\nprocs_running {}\nprocs_blocked {}\n",
            times.join(" "),
            n("intr"),
            n("ctxt"),
            n("forks"),
            n("running"),
            n("blocked")
        ),
    );
    files.put("proc/loadavg", format!("{}.50 0 0 1/2 3\n", n("load")));
    for resource in ["cpu", "memory", "io"] {
        let total = |stall: &str| n(&format!("{resource} {stall}"));
        let text = format!(
            "some avg10=0.00 total={}\nfull avg10=0.00 total={}\n",
            total("some"),
            total("full")
        );
        files.put(&format!("proc/pressure/{resource}"), text);
    }
    let lines = MEMORY.map(|name| format!("{name}: {} kB\n", n(name)));
    files.put("proc/meminfo", lines.concat());
    files.put(
        "proc/vmstat",
        VMSTAT.map(|name| format!("{name} {}\n", n(name))).concat(),
    );
    let disk: Vec<String> = (1..=17)
        .map(|field| n(&format!("disk {field}")).to_string())
        .collect();
    files.put("proc/diskstats", format!(" 8 0 sda {}\n", disk.join(" ")));
    files.put("sys/block/sda/x", "");
    let net: Vec<String> = (0..16)
        .map(|column| n(&format!("net {column}")).to_string())
        .collect();
    files.put("proc/net/dev", format!("a\nb\n eth0: {}\n", net.join(" ")));
    files.put("sys/class/net/eth0/speed", n("speed").to_string());
    let pairs = |groups: &[(&str, &[&str])]| {
        let group = |(line, names): &(&str, &[&str])| {
            let values: Vec<String> = names.iter().map(|name| n(name).to_string()).collect();
            format!(
                "{line}: {}\n{line}: {}\n",
                names.join(" "),
                values.join(" ")
            )
        };
        groups.iter().map(group).collect::<String>()
    };
    files.put("proc/net/snmp", pairs(&SNMP));
    files.put("proc/net/netstat", pairs(&[("TcpExt", NETSTAT)]));
    let sockets = format!(
        "TCP: inuse 1 orphan {} tw {} alloc 1 mem {}\n",
        n("orphan"),
        n("tw"),
        n("mem")
    );
    files.put("proc/net/sockstat", sockets);
    files.put(
        "proc/sys/fs/file-nr",
        format!("{}\t0\t{}\n", n("files"), n("file limit")),
    );
    files.put(
        "proc/sys/net/netfilter/nf_conntrack_count",
        n("tracked").to_string(),
    );
    files.put(
        "proc/sys/net/netfilter/nf_conntrack_max",
        n("tracked limit").to_string(),
    );
    let mounts = format!("27 1 254:0 / {} rw - ext4 /dev/vda rw\n", mount.display());
    files.put("proc/self/mountinfo", mounts);
}

fn exposition(truth: &Truth, space: &rustix::fs::StatVfs, mount: &Path) -> String {
    let n = |what: &str| truth.n(what) as f64;
    let mut text = String::new();
    let mut say = |name: &str, labels: &str, value: f64| {
        let _ = writeln!(text, "node_{name}{{{labels}}} {value}");
    };
    for (ours, theirs) in MODES {
        let labels = format!("cpu=\"0\",mode=\"{theirs}\"");
        say("cpu_seconds_total", &labels, ticks_to_seconds(n(ours)));
    }
    for (name, value) in [
        ("intr_total", n("intr")),
        ("context_switches_total", n("ctxt")),
        ("forks_total", n("forks")),
        ("procs_running", n("running")),
        ("procs_blocked", n("blocked")),
        ("load1", n("load") + 0.5),
        ("pressure_cpu_waiting_seconds_total", n("cpu some") / 1e6),
        ("pressure_io_waiting_seconds_total", n("io some") / 1e6),
        ("pressure_io_stalled_seconds_total", n("io full") / 1e6),
        (
            "pressure_memory_waiting_seconds_total",
            n("memory some") / 1e6,
        ),
        (
            "pressure_memory_stalled_seconds_total",
            n("memory full") / 1e6,
        ),
        ("sockstat_TCP_orphan", n("orphan")),
        ("sockstat_TCP_tw", n("tw")),
        (
            "sockstat_TCP_mem_bytes",
            n("mem") * rustix::param::page_size() as f64,
        ),
        ("filefd_allocated", n("files")),
        ("filefd_maximum", n("file limit")),
        ("nf_conntrack_entries", n("tracked")),
        ("nf_conntrack_entries_limit", n("tracked limit")),
    ] {
        say(name, "", value);
    }
    for name in MEMORY {
        say(&format!("memory_{name}_bytes"), "", n(name) * 1024.0);
    }
    for name in VMSTAT {
        say(&format!("vmstat_{name}"), "", n(name));
    }
    for (line, names) in SNMP.iter().copied().chain([("TcpExt", NETSTAT)]) {
        for name in names {
            say(&format!("netstat_{line}_{name}"), "", n(name));
        }
    }
    // Fields of iostats.rst.
    for (name, field, scale) in [
        ("reads_completed_total", 1, 1.0),
        ("read_bytes_total", 3, 512.0),
        ("read_time_seconds_total", 4, 1e-3),
        ("writes_completed_total", 5, 1.0),
        ("written_bytes_total", 7, 512.0),
        ("write_time_seconds_total", 8, 1e-3),
        ("io_now", 9, 1.0),
        ("io_time_seconds_total", 10, 1e-3),
        ("io_time_weighted_seconds_total", 11, 1e-3),
        ("flush_requests_total", 16, 1.0),
        ("flush_requests_time_seconds_total", 17, 1e-3),
    ] {
        say(
            &format!("disk_{name}"),
            "device=\"sda\"",
            n(&format!("disk {field}")) * scale,
        );
    }
    for (name, column) in [
        ("receive_bytes", 0),
        ("receive_packets", 1),
        ("receive_errs", 2),
        ("receive_drop", 3),
        ("transmit_bytes", 8),
        ("transmit_packets", 9),
        ("transmit_errs", 10),
        ("transmit_drop", 11),
    ] {
        say(
            &format!("network_{name}_total"),
            "device=\"eth0\"",
            n(&format!("net {column}")),
        );
    }
    say(
        "network_speed_bytes",
        "device=\"eth0\"",
        n("speed") * 1e6 / 8.0,
    );
    let of = format!(
        "device=\"/dev/vda\",fstype=\"ext4\",mountpoint=\"{}\"",
        mount.display()
    );
    let block = space.f_frsize as f64;
    for (name, value) in [
        ("size_bytes", space.f_blocks as f64 * block),
        ("free_bytes", space.f_bfree as f64 * block),
        ("avail_bytes", space.f_bavail as f64 * block),
        ("files", space.f_files as f64),
        ("files_free", space.f_ffree as f64),
    ] {
        say(&format!("filesystem_{name}"), &of, value);
    }
    text
}

pub(super) fn compare_all(truth: &Truth, shown: &mut Shown) {
    let folder = tempfile::tempdir().unwrap();
    // A file system whose numbers stand still.
    let mount = ["/proc/sys", "/sys", "/dev/shm"].map(Path::new);
    let mount = mount.into_iter().find(|mount| {
        rustix::fs::statvfs(*mount).is_ok_and(|space| space.f_files > 0 && space.f_blocks > 0)
    });
    let mount = mount.unwrap_or(Path::new("/"));
    write_kernel(truth, &Files(folder.path()), mount);
    let space = rustix::fs::statvfs(mount).unwrap();
    let look = seen_below(&folder.path().join("proc"), &folder.path().join("sys"));
    let text = exposition(truth, &space, mount);
    compare(
        &[Said::new("host", &look), exposed("node_exporter", &text)],
        shown,
    );
}
