//! What the program says of this host, beside the kernel's own view: as root, as nobody, and where
//! limits are lower.

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::json::{assert_valid, json};
use crate::common::{folder, plimsoll, plimsoll_with, refusing_url};

/// Calls it through a shell, where `$PLIMSOLL` is the program.
fn shell(dir: &TempDir, script: &str) -> (i32, String) {
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(dir.path())
        .env("LC_ALL", "C.UTF-8")
        .env_remove("PLIMSOLL_NATS")
        .env("PLIMSOLL", env!("CARGO_BIN_EXE_plimsoll"))
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!out.is_empty(), "{script}: {err}");
    (output.status.code().unwrap(), out)
}

/// What a command of the system says.
fn said(command: &str) -> String {
    let output = Command::new("bash").args(["-c", command]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// What it says of one thing.
fn check<'a>(all: &'a Value, id: &str) -> &'a Value {
    let checks = all["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["id"] == id);
    found.unwrap_or_else(|| panic!("no {id}: {all}"))
}

fn fact(all: &Value, id: &str, name: &str) -> Value {
    check(all, id)["facts"][name].clone()
}

fn is_root() -> bool {
    // SAFETY: asks for a number.
    unsafe { libc::geteuid() == 0 }
}

/// Whether this process may make namespaces.
fn has_namespaces() -> bool {
    let made = Command::new("unshare").args(["-n", "-m", "true"]).output();
    is_root() && made.is_ok_and(|made| made.status.success())
}

#[test]
fn limits_are_those_that_the_system_says() {
    let dir = folder();
    let told = plimsoll(&dir, &["doctor", "--json"]);
    let all = json(&told.out);
    assert_valid(&dir, "doctor", &all);
    let number = |command: &str| said(command).parse::<u64>().unwrap();
    let sysctl = |name: &str| number(&format!("sysctl -n {name}"));
    assert_eq!(
        fact(&all, "accept_queue", "somaxconn"),
        sysctl("net.core.somaxconn")
    );
    let range = said("sysctl -n net.ipv4.ip_local_port_range");
    let mut ends = range
        .split_whitespace()
        .map(|end| end.parse::<u64>().unwrap());
    assert_eq!(fact(&all, "ports", "low"), ends.next().unwrap());
    assert_eq!(fact(&all, "ports", "high"), ends.next().unwrap());
    assert_eq!(fact(&all, "descriptors", "hard"), number("ulimit -Hn"));
    assert_eq!(fact(&all, "cpu", "by_affinity"), number("nproc"));
    assert_eq!(
        fact(&all, "memory", "swap_bytes"),
        number("free -b | awk '/^Swap/ {print $2}'")
    );
    let mtu = number("ip -o link show lo | sed 's/.*mtu \\([0-9]*\\).*/\\1/'");
    assert_eq!(fact(&all, "loopback", "mtus")["lo"], mtu);
    let servers = said("sed -n 's/^nameserver *//p' /etc/resolv.conf");
    let told: Vec<Value> = servers.lines().map(Value::from).collect();
    assert_eq!(fact(&all, "names", "servers"), Value::from(told));
    // SAFETY: an all-zero timex asks for no change.
    let state = unsafe {
        let mut timex: libc::timex = std::mem::zeroed();
        libc::adjtimex(&raw mut timex)
    };
    assert_eq!(
        fact(&all, "clock", "synchronised"),
        state != libc::TIME_ERROR
    );
}

#[test]
fn it_speaks_both_languages_within_the_columns() {
    let dir = folder();
    for (lang, words) in [
        ("en", ["Local ports", "Certificates"]),
        ("zh", ["本地端口", "证书"]),
    ] {
        let told = plimsoll(&dir, &["doctor", "--lang", lang]);
        for part in words {
            assert!(told.out.contains(part), "{part}: {told:?}");
        }
        assert!(!told.out.contains("doctor-"), "{told:?}");
        for line in told
            .out
            .lines()
            .filter(|line| !line.trim_start().starts_with("$ "))
        {
            assert!(plimsoll_text::display_width(line) <= 80, "{line}");
        }
    }
}

#[test]
fn a_lower_limit_is_seen_and_has_a_command() {
    let dir = folder();
    let (_, out) = shell(
        &dir,
        "ulimit -Sn 200; ulimit -Hn 1000; \"$PLIMSOLL\" doctor --json",
    );
    let all = json(&out);
    assert_eq!(fact(&all, "descriptors", "hard"), 1000);
    assert_eq!(fact(&all, "descriptors", "soft"), 200);
    assert_eq!(check(&all, "descriptors")["grade"], "limited");
    assert!(
        check(&all, "descriptors")["commands"][0]
            .as_str()
            .unwrap()
            .contains("nofile")
    );
    let (_, out) = shell(&dir, "taskset -c 0 \"$PLIMSOLL\" doctor --json");
    assert_eq!(fact(&json(&out), "cpu", "by_affinity"), 1);
    let env = [
        ("SSL_CERT_FILE", "/nowhere.pem"),
        ("SSL_CERT_DIR", "/nowhere"),
    ];
    let all = json(&plimsoll_with(&dir, &["doctor", "--json"], &env).out);
    assert_eq!(fact(&all, "certificates", "count"), 0);
    assert_eq!(check(&all, "certificates")["grade"], "limited");
    let env = [("PLIMSOLL_COMPANION", "/nowhere")];
    let all = json(&plimsoll_with(&dir, &["doctor", "--json"], &env).out);
    assert_eq!(check(&all, "companion")["grade"], "limited");
}

#[test]
fn a_nats_that_is_not_there_is_bad() {
    let dir = folder();
    let address = refusing_url().replace("http://", "nats://");
    let told = plimsoll(
        &dir,
        &["doctor", "--json", "--nats", address.trim_end_matches('/')],
    );
    let all = json(&told.out);
    assert_valid(&dir, "doctor", &all);
    assert_eq!(
        (told.code, &check(&all, "nats")["grade"]),
        (1, &Value::from("bad"))
    );
    let (_, out) = shell(&dir, "\"$PLIMSOLL\" doctor --json");
    assert_eq!(check(&json(&out), "nats")["grade"], "unused");
}

#[test]
fn nobody_may_less_than_root() {
    if !is_root() {
        eprintln!("only root can become nobody: left out");
        return;
    }
    let dir = folder();
    let all = json(&shell(&dir, "\"$PLIMSOLL\" doctor --json").1);
    // Root may be without a right, too: by its own trying, and by what the kernel says of it.
    let effective = said("sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status");
    let effective = u64::from_str_radix(&effective, 16).unwrap();
    for (id, name, bit) in [
        ("packets", "cap_net_raw", 13),
        ("processes", "cap_sys_ptrace", 19),
        ("cpu_samples", "cap_perfmon", 38),
    ] {
        assert_eq!(fact(&all, id, name), effective >> bit & 1 == 1, "{id}");
    }
    // A copy: the folders above the program may be closed to others.
    let script = "cp \"$PLIMSOLL\" plimsoll; chmod 755 . plimsoll; \
        setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all ./plimsoll doctor --json --out runs";
    let (code, out) = shell(&dir, script);
    let all = json(&out);
    assert_valid(&dir, "doctor", &all);
    assert_eq!(fact(&all, "packets", "allowed"), false);
    assert_eq!(fact(&all, "processes", "cap_sys_ptrace"), false);
    assert_eq!(check(&all, "packets")["grade"], "limited");
    let [there, readable] =
        ["of_other_users", "readable"].map(|name| fact(&all, "processes", name).as_u64().unwrap());
    assert!(there > readable, "{there} {readable}");
    assert!(
        check(&all, "packets")["commands"][0]
            .as_str()
            .unwrap()
            .to_lowercase()
            .contains("net_raw")
    );
    // Root's folder is not nobody's.
    assert_eq!(
        (code, fact(&all, "disk", "writable")),
        (1, Value::from(false))
    );
    let (_, out) = shell(
        &dir,
        "setpriv --bounding-set=-net_raw --inh-caps=-net_raw \"$PLIMSOLL\" doctor --json",
    );
    let all = json(&out);
    assert_eq!(fact(&all, "packets", "allowed"), false, "{all}");
    assert_eq!(fact(&all, "packets", "cap_net_raw"), false);
}

#[test]
fn a_network_namespace_has_its_own_limits() {
    if !has_namespaces() {
        eprintln!("no namespaces can be made here: left out");
        return;
    }
    let dir = folder();
    let (code, out) = shell(&dir, "unshare -n \"$PLIMSOLL\" doctor --json");
    let all = json(&out);
    assert_eq!(fact(&all, "loopback", "ipv4"), false);
    assert_eq!(
        (code, &check(&all, "loopback")["grade"]),
        (1, &Value::from("bad"))
    );
    assert!(
        check(&all, "loopback")["commands"][0]
            .as_str()
            .unwrap()
            .contains("ip link set lo up")
    );
    let script = r#"unshare -n bash -c '
        ip link set lo up; ip link set lo mtu 9000
        echo "40000 40999" > /proc/sys/net/ipv4/ip_local_port_range
        echo "40000-40099,41500" > /proc/sys/net/ipv4/ip_local_reserved_ports
        echo 16 > /proc/sys/net/core/somaxconn
        python3 - <<PY
import socket
server = socket.create_server(("127.0.0.1", 0), backlog=16)
for _ in range(9):
    one = socket.create_connection(server.getsockname())
    other, _ = server.accept()
    one.shutdown(socket.SHUT_WR); other.recv(1); other.close(); one.recv(1); one.close()
PY
        "$PLIMSOLL" doctor --json > all.json
        ss -Htan state time-wait | wc -l'"#;
    let (_, waiting) = shell(&dir, script);
    let all = json(&std::fs::read_to_string(dir.path().join("all.json")).unwrap());
    assert_eq!(fact(&all, "loopback", "ipv4"), true);
    assert_eq!(fact(&all, "loopback", "mtus")["lo"], 9000);
    assert_eq!(fact(&all, "ports", "available"), 900);
    assert_eq!(fact(&all, "ports", "short_connections_per_s"), 15);
    // Looking at loopback leaves at most one more.
    let (told, kernel) = (
        fact(&all, "ports", "time_wait"),
        waiting.trim().parse::<u64>().unwrap(),
    );
    assert!(
        told.as_u64().unwrap() >= 9 && told.as_u64().unwrap() <= kernel,
        "{told} {kernel}"
    );
    assert_eq!(check(&all, "ports")["grade"], "limited");
    assert_eq!(fact(&all, "accept_queue", "somaxconn"), 16);
    assert_eq!(check(&all, "accept_queue")["grade"], "limited");
}

#[test]
fn the_folder_of_the_runs_is_looked_at_as_it_is() {
    let dir = folder();
    let told = json(&plimsoll(&dir, &["doctor", "--json", "--out", "deep/runs"]).out);
    let here = dir.path().canonicalize().unwrap();
    assert_eq!(fact(&told, "disk", "folder"), here.display().to_string());
    let block = said(&format!("stat -f -c %S {}", here.display()))
        .parse::<u64>()
        .unwrap();
    let free = said(&format!("stat -f -c %a {}", here.display()))
        .parse::<u64>()
        .unwrap()
        * block;
    let told = fact(&told, "disk", "free_bytes").as_u64().unwrap();
    // Others write meanwhile.
    assert!(told.abs_diff(free) < 1 << 30, "{told} {free}");
    if !has_namespaces() {
        eprintln!("no namespaces can be made here: the rest is left out");
        return;
    }
    for (options, facts) in [
        ("size=1m", [("in_memory", true), ("writable", true)]),
        ("ro,size=8g", [("in_memory", true), ("writable", false)]),
    ] {
        let script = format!(
            "mkdir -p room; unshare -m bash -c 'mount -t tmpfs -o {options} none room; \"$PLIMSOLL\" doctor --json --out room/runs'"
        );
        let (code, out) = shell(&dir, &script);
        let all = json(&out);
        assert_eq!(
            (code, &check(&all, "disk")["grade"]),
            (1, &Value::from("bad")),
            "{options}"
        );
        for (name, value) in facts {
            assert_eq!(fact(&all, "disk", name), value, "{options} {name}");
        }
    }
    let script = "unshare -m bash -c ': > none; mount --bind none /etc/resolv.conf; \"$PLIMSOLL\" doctor --json'";
    let all = json(&shell(&dir, script).1);
    assert_eq!(check(&all, "names")["grade"], "limited");
}

/// A control group of this test's own that may have half a CPU, where the host lets root make one.
struct Group(std::path::PathBuf);

impl Group {
    fn with_quota() -> Option<Self> {
        let root = std::path::Path::new("/sys/fs/cgroup");
        let (root, file, quota) = match root.join("cgroup.controllers").exists() {
            true => (root.to_owned(), "cpu.max", "50000 100000"),
            false => (root.join("cpu"), "cpu.cfs_quota_us", "50000"),
        };
        let group = Self(root.join(format!("plimsoll-doctor-{}", std::process::id())));
        std::fs::create_dir(&group.0).ok()?;
        std::fs::write(group.0.join(file), quota).ok()?;
        Some(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for group in [self.0.join("inner"), self.0.clone()] {
            std::fs::remove_dir(group).ok();
        }
    }
}

#[test]
fn a_quota_of_a_control_group_is_seen() {
    let Some(group) = Group::with_quota().filter(|_| is_root()) else {
        eprintln!("no control group can be made here: nothing was tried");
        return;
    };
    let dir = folder();
    let procs = group.0.join("cgroup.procs");
    let inside = group.0.join("inner");
    std::fs::create_dir(&inside).unwrap();
    for procs in [procs, inside.join("cgroup.procs")] {
        let script = format!(
            "echo $$ > {} && \"$PLIMSOLL\" doctor --json",
            procs.display()
        );
        let all = json(&shell(&dir, &script).1);
        assert_eq!(fact(&all, "cpu", "quota"), 0.5, "{}", procs.display());
        assert_eq!(fact(&all, "cpu", "usable"), 0.5);
        assert_eq!(check(&all, "cpu")["grade"], "limited");
    }
}
