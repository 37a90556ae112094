//! A host by the kernel's files and by node_exporter.

use std::path::Path;

use super::said::{Page, Said, Shown, Truth, compare};
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
    write_load(truth, files);
    write_devices(truth, files);
    write_network(truth, files);
    let n = |what: &str| truth.n(what);
    let lines = MEMORY.map(|name| format!("{name}: {} kB\n", n(name)));
    files.put("proc/meminfo", lines.concat());
    let lines = VMSTAT.map(|name| format!("{name} {}\n", n(name)));
    files.put("proc/vmstat", lines.concat());
    let open = format!("{}\t0\t{}\n", n("files"), n("file limit"));
    files.put("proc/sys/fs/file-nr", open);
    let mounts = format!("27 1 254:0 / {} rw - ext4 /dev/vda rw\n", mount.display());
    files.put("proc/self/mountinfo", mounts);
}

/// CPUs, and what waits for them and for other things.
fn write_load(truth: &Truth, files: &Files<'_>) {
    let n = |what: &str| truth.n(what);
    let times = MODES.map(|(mode, _)| n(mode).to_string()).join(" ");
    let mut stat = format!("cpu0 {times}\n");
    for (name, what) in [
        ("intr", "intr"),
        ("ctxt", "ctxt"),
        ("processes", "forks"),
        ("procs_running", "running"),
        ("procs_blocked", "blocked"),
    ] {
        stat += &format!("{name} {}\n", n(what));
    }
    files.put("proc/stat", stat);
    files.put("proc/loadavg", format!("{}.50 0 0 1/2 3\n", n("load")));
    for resource in ["cpu", "memory", "io"] {
        let line = |stall: &str| {
            let total = n(&format!("{resource} {stall}"));
            format!("{stall} avg10=0.00 total={total}\n")
        };
        let text = line("some") + &line("full");
        files.put(&format!("proc/pressure/{resource}"), text);
    }
}

/// A disk and a network interface.
fn write_devices(truth: &Truth, files: &Files<'_>) {
    let columns = |device: &str, columns: std::ops::Range<u32>| {
        let columns = columns.map(|column| truth.n(&format!("{device} {column}")).to_string());
        columns.collect::<Vec<_>>().join(" ")
    };
    let disk = format!(" 8 0 sda {}\n", columns("disk", 1..18));
    files.put("proc/diskstats", disk);
    files.put("sys/block/sda/x", "");
    let net = format!("a\nb\n eth0: {}\n", columns("net", 0..16));
    files.put("proc/net/dev", net);
    files.put("sys/class/net/eth0/speed", truth.n("speed").to_string());
}

/// What the kernel counts of TCP and UDP.
fn write_network(truth: &Truth, files: &Files<'_>) {
    let n = |what: &str| truth.n(what);
    let pairs = |groups: &[(&str, &[&str])]| {
        let group = |(line, names): &(&str, &[&str])| {
            let values: Vec<String> = names.iter().map(|name| n(name).to_string()).collect();
            let (names, values) = (names.join(" "), values.join(" "));
            format!("{line}: {names}\n{line}: {values}\n")
        };
        groups.iter().map(group).collect::<String>()
    };
    files.put("proc/net/snmp", pairs(&SNMP));
    files.put("proc/net/netstat", pairs(&[("TcpExt", NETSTAT)]));
    let (orphans, waiting, pages) = (n("orphan"), n("tw"), n("mem"));
    let sockets = format!("TCP: inuse 1 orphan {orphans} tw {waiting} alloc 1 mem {pages}\n");
    files.put("proc/net/sockstat", sockets);
    let tracked = "proc/sys/net/netfilter/nf_conntrack_";
    files.put(&format!("{tracked}count"), n("tracked").to_string());
    files.put(&format!("{tracked}max"), n("tracked limit").to_string());
}

/// What node_exporter says.
struct Node<'a> {
    truth: &'a Truth,
    page: Page,
}

impl Node<'_> {
    fn n(&self, what: &str) -> f64 {
        self.truth.f(what)
    }

    fn say(&mut self, name: &str, labels: &str, value: f64) {
        self.page.say(&format!("node_{name}"), labels, value);
    }

    fn cpus_and_limits(&mut self) {
        for (ours, theirs) in MODES {
            let labels = format!("cpu=\"0\",mode=\"{theirs}\"");
            let seconds = ticks_to_seconds(self.n(ours));
            self.say("cpu_seconds_total", &labels, seconds);
        }
        let page_bytes = rustix::param::page_size() as f64;
        for (name, what, scale) in [
            ("intr_total", "intr", 1.0),
            ("context_switches_total", "ctxt", 1.0),
            ("forks_total", "forks", 1.0),
            ("procs_running", "running", 1.0),
            ("procs_blocked", "blocked", 1.0),
            ("pressure_cpu_waiting_seconds_total", "cpu some", 1e-6),
            ("pressure_io_waiting_seconds_total", "io some", 1e-6),
            ("pressure_io_stalled_seconds_total", "io full", 1e-6),
            ("pressure_memory_waiting_seconds_total", "memory some", 1e-6),
            ("pressure_memory_stalled_seconds_total", "memory full", 1e-6),
            ("sockstat_TCP_orphan", "orphan", 1.0),
            ("sockstat_TCP_tw", "tw", 1.0),
            ("sockstat_TCP_mem_bytes", "mem", page_bytes),
            ("filefd_allocated", "files", 1.0),
            ("filefd_maximum", "file limit", 1.0),
            ("nf_conntrack_entries", "tracked", 1.0),
            ("nf_conntrack_entries_limit", "tracked limit", 1.0),
        ] {
            self.say(name, "", self.n(what) * scale);
        }
        self.say("load1", "", self.n("load") + 0.5);
    }

    fn memory_and_network(&mut self) {
        for name in MEMORY {
            self.say(&format!("memory_{name}_bytes"), "", self.n(name) * 1024.0);
        }
        for name in VMSTAT {
            self.say(&format!("vmstat_{name}"), "", self.n(name));
        }
        for (line, names) in SNMP.iter().copied().chain([("TcpExt", NETSTAT)]) {
            for name in names {
                self.say(&format!("netstat_{line}_{name}"), "", self.n(name));
            }
        }
    }

    fn devices(&mut self) {
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
            let value = self.n(&format!("disk {field}")) * scale;
            self.say(&format!("disk_{name}"), "device=\"sda\"", value);
        }
        let eth0 = "device=\"eth0\"";
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
            let value = self.n(&format!("net {column}"));
            self.say(&format!("network_{name}_total"), eth0, value);
        }
        self.say("network_speed_bytes", eth0, self.n("speed") * 1e6 / 8.0);
    }

    fn space(&mut self, space: &rustix::fs::StatVfs, mount: &Path) {
        let mount = mount.display();
        let of = format!("device=\"/dev/vda\",fstype=\"ext4\",mountpoint=\"{mount}\"");
        let block = space.f_frsize as f64;
        for (name, value) in [
            ("size_bytes", space.f_blocks as f64 * block),
            ("free_bytes", space.f_bfree as f64 * block),
            ("avail_bytes", space.f_bavail as f64 * block),
            ("files", space.f_files as f64),
            ("files_free", space.f_ffree as f64),
        ] {
            self.say(&format!("filesystem_{name}"), &of, value);
        }
    }
}

fn exposition(truth: &Truth, space: &rustix::fs::StatVfs, mount: &Path) -> Said {
    let mut node = Node {
        truth,
        page: Page::default(),
    };
    node.cpus_and_limits();
    node.memory_and_network();
    node.devices();
    node.space(space, mount);
    node.page.of("node_exporter")
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
    let exported = exposition(truth, &space, mount);
    compare(&[Said::new("host", &look), exported], shown);
}
