//! Sockets, space, settings, groups and namespaces of the host source, beside `ss`, `df`,
//! `sysctl` and what the kernel counts elsewhere.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Source, get, run};

#[test]
fn listen_queues_are_those_of_ss() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let _waiting: Vec<_> = (0..7)
        .map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap())
        .collect();
    let mut source = Source::open("host");
    let look = source.look();
    let of = |name: &str| {
        get(
            &look,
            &format!("system.tcp.listen.{name}{{server.port={port}}}"),
        )
    };
    let text = run("ss", &["-Hltn", &format!("sport = :{port}")]);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(of("queue.length"), words[1].parse::<f64>().unwrap());
    assert_eq!(of("queue.limit"), words[2].parse::<f64>().unwrap());
    assert_eq!(of("queue.length"), 7.0);
    assert_eq!(of("socket.drops"), 0.0);
}

#[test]
fn a_full_queue_shows_at_its_port() {
    // Rust's own listen(2) takes a backlog of its choice: Python lets us say.
    let mut helper = python("s.listen(1)");
    let port = helper.1;
    let mut source = Source::open("host");
    let before = source.look();
    let drops = format!("system.tcp.listen.socket.drops{{server.port={port}}}");
    let attempts: Vec<_> = (0..6)
        .map(|_| {
            std::thread::spawn(move || {
                let limit = std::time::Duration::from_millis(1500);
                TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), limit).is_ok()
            })
        })
        .collect();
    let done = attempts.into_iter().map(|attempt| attempt.join().unwrap());
    let refused = done.filter(|connected| !connected).count();
    let after = source.look();
    helper.0.kill().unwrap();
    helper.0.wait().unwrap();
    assert!(refused > 0, "a queue of 1 cannot take 6");
    assert!(get(&after, &drops) > get(&before, &drops));
    let overflows = "system.tcp.listen.overflows{}";
    assert!(get(&after, overflows) > get(&before, overflows));
}

#[test]
fn connections_are_those_of_ss_by_state_and_peer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let pairs: Vec<_> = (0..12)
        .map(|_| {
            let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
            (client, listener.accept().unwrap().0)
        })
        .collect();
    // Half of the clients leave: the server's ends are in CLOSE_WAIT until it closes too.
    let (left, stay) = pairs.split_at(5);
    for (client, _) in left {
        client.shutdown(std::net::Shutdown::Both).unwrap();
    }
    let theirs = |state: &str, filter: &str| {
        let text = run(
            "ss",
            &["-Htn", "state", state, filter, "=", &format!(":{port}")],
        );
        text.lines().count() as f64
    };
    // The kernel may take its time to acknowledge.
    let began = Instant::now();
    while theirs("fin-wait-2", "dport") < 5.0 {
        assert!(began.elapsed() < Duration::from_secs(30));
    }
    let mut source = Source::open("host");
    let look = source.look();
    let client = |state: &str| {
        let attributes =
            format!("client.address=127.0.0.1,network.connection.state={state},server.port={port}");
        get(
            &look,
            &format!("system.network.peer.connection.count{{{attributes}}}"),
        )
    };
    let server = |state: &str| {
        let attributes =
            format!("network.connection.state={state},server.address=127.0.0.1,server.port={port}");
        get(
            &look,
            &format!("system.network.peer.connection.count{{{attributes}}}"),
        )
    };
    assert_eq!(client("close_wait"), 5.0);
    assert_eq!(client("close_wait"), theirs("close-wait", "sport"));
    assert_eq!(client("established"), stay.len() as f64);
    assert_eq!(client("established"), theirs("established", "sport"));
    assert_eq!(server("fin_wait_2"), 5.0);
    assert_eq!(server("fin_wait_2"), theirs("fin-wait-2", "dport"));
    let ports = get(&look, "system.network.ephemeral_port.used{}");
    assert!(ports >= 12.0, "{ports}");
    assert!(get(&look, "system.network.ephemeral_port.used_by_one_peer{}") >= 12.0);
    let range = run("sysctl", &["-n", "net.ipv4.ip_local_port_range"]);
    let range: Vec<f64> = range
        .split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect();
    let limit = get(&look, "system.network.ephemeral_port.limit{}");
    assert_eq!(limit, range[1] - range[0] + 1.0);
}

#[test]
fn space_is_that_of_df_and_settings_are_those_of_sysctl() {
    let mut source = Source::open("host");
    let look = source.look();
    let text = run(
        "df",
        &["-B1", "--output=source,target,size,used,avail,itotal", "/"],
    );
    let words: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    let of = |name: &str, state: &str| {
        let found = look.iter().find(|(key, _)| {
            key.starts_with(&format!("system.filesystem.{name}{{system.device="))
                && key.contains(&format!(
                    "system.filesystem.mountpoint=/,system.filesystem.state={state}"
                ))
        });
        *found
            .unwrap_or_else(|| panic!("{name} {state} in {look:#?}"))
            .1
    };
    let theirs = |index: usize| words[index].parse::<f64>().unwrap();
    let slack = f64::from(1 << 30);
    let size = of("usage", "used") + of("usage", "free") + of("usage", "reserved");
    assert_eq!(size, theirs(2));
    assert!((of("usage", "used") - theirs(3)).abs() < slack);
    assert!((of("usage", "free") - theirs(4)).abs() < slack);
    let inodes = of("inodes.usage", "used") + of("inodes.usage", "free");
    assert_eq!(inodes, theirs(5));
    for name in ["net.core.somaxconn", "net.ipv4.tcp_tw_reuse", "fs.file-max"] {
        let theirs = run("sysctl", &["-n", name]);
        assert_eq!(source.facts[name], theirs.trim(), "{name}");
    }
}

/// A Python process that listens in its own way; its port.
fn python(listen: &str) -> (Child, u16) {
    let text = format!(
        "import socket, sys\ns = socket.socket(); s.bind(('127.0.0.1', 0)); {listen}\n\
         print(s.getsockname()[1], flush=True)\nsys.stdin.read()"
    );
    started(Command::new("python3").args(["-c", &text]))
}

fn started(command: &mut Command) -> (Child, u16) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stdout = child.stdout.as_mut().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
    (child, line.trim().parse().unwrap())
}

/// Whether this test may make namespaces and groups; it says so if not.
fn is_root() -> bool {
    let root = run("id", &["-u"]).trim() == "0";
    if !root {
        eprintln!("not root: other namespaces and groups are not tried");
    }
    root
}

#[test]
fn a_process_in_another_network_namespace_brings_its_own_network() {
    if !is_root() {
        return;
    }
    let text = "import socket, sys, subprocess\n\
        def run(text): subprocess.run(text.split(), check=True)\n\
        run('ip link set lo up')\n\
        run('tc qdisc add dev lo root tbf rate 80mbit burst 100kb limit 1000kb')\n\
        open('/proc/sys/net/ipv4/ip_local_port_range', 'w').write('40000 40099')\n\
        s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(33); c = []\n\
        for _ in range(3): c.append(socket.create_connection(s.getsockname()))\n\
        print(s.getsockname()[1], flush=True)\nsys.stdin.read()";
    let (mut child, port) = started(Command::new("unshare").args(["--net", "python3", "-c", text]));
    // unshare becomes Python: the number stays.
    let mut source = Source::open(&format!("process=pid:{}", child.id()));
    let look = source.look();
    let mut by_port = Source::open(&format!("process={port}"));
    let found = by_port.try_look();
    child.kill().unwrap();
    child.wait().unwrap();
    let length = format!("system.tcp.listen.queue.length{{server.port={port}}}");
    assert_eq!(get(&look, &length), 3.0);
    let limit = format!("system.tcp.listen.queue.limit{{server.port={port}}}");
    assert_eq!(get(&look, &limit), 33.0);
    assert_eq!(get(&look, "system.tcp.opens{tcp.open=active}"), 3.0);
    assert_eq!(get(&look, "system.network.ephemeral_port.limit{}"), 100.0);
    let lo = "system.network.packet.count{network.interface.name=lo,network.io.direction=receive}";
    assert!(get(&look, lo) >= 9.0);
    let shaper = "system.network.shaper.limit{network.interface.name=lo}";
    assert_eq!(get(&look, shaper), 10e6);
    let dropped = "system.network.queue.dropped{network.interface.name=lo}";
    assert_eq!(get(&look, dropped), 0.0);
    let own = "process.network.connection.count{network.connection.state=established}";
    assert_eq!(get(&look, own), 3.0, "those not accepted yet are nobody's");
    assert!(found.is_ok(), "found by its port in another namespace too");
}

#[test]
fn a_throttled_group_shows_its_quota_and_its_stops() {
    let top = std::path::Path::new("/sys/fs/cgroup/cpu");
    if !is_root() || !top.join("cpu.cfs_quota_us").exists() {
        eprintln!("no control groups of version 1 here: recorded texts must do");
        return;
    }
    let group = top.join(format!("plimsoll-test-{}", std::process::id()));
    std::fs::create_dir(&group).unwrap();
    std::fs::write(group.join("cpu.cfs_period_us"), "100000").unwrap();
    // So little that it is used up even where others take most of the CPU.
    std::fs::write(group.join("cpu.cfs_quota_us"), "1000").unwrap();
    let text = "import os, sys, time\nopen(sys.argv[1] + '/cgroup.procs', 'w').write(str(os.getpid()))\n\
        end = time.process_time() + 0.01\nwhile time.process_time() < end: pass\n\
        print(1, flush=True)\nsys.stdin.read()";
    let arguments = ["-c", text, group.to_str().unwrap()];
    let (mut child, _) = started(Command::new("python3").args(arguments));
    let mut source = Source::open(&format!("process=pid:{}", child.id()));
    let look = source.look();
    let stat = std::fs::read_to_string(group.join("cpu.stat")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_dir(&group).unwrap();
    let theirs = |name: &str| {
        let line = stat
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.trim().parse::<f64>().unwrap()
    };
    assert_eq!(get(&look, "cgroup.cpu.limit{}"), 0.01);
    // It waits for its input: nothing is added.
    assert_eq!(
        get(&look, "cgroup.cpu.throttled.periods{}"),
        theirs("nr_throttled ")
    );
    assert!(
        get(&look, "cgroup.cpu.throttled.periods{}") >= 2.0,
        "{stat}"
    );
    assert_eq!(
        get(&look, "cgroup.cpu.throttled.time{}"),
        theirs("throttled_time ") / 1e9
    );
}
