//! What the host source says, beside what the tools people trust say at the same time:
//! a counter of ours before, theirs, ours after.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::HashMap;

use common::{Source, run};

/// Two looks with a tool's response between them.
struct Between {
    before: HashMap<String, f64>,
    text: String,
    after: HashMap<String, f64>,
}

impl Between {
    fn new(source: &mut Source, program: &str, arguments: &[&str]) -> Self {
        let before = source.look();
        let text = run(program, arguments);
        let after = source.look();
        Self {
            before,
            text,
            after,
        }
    }

    /// The tool's value lies between ours before and after, give or take its own rounding.
    fn holds(&self, name: &str, theirs: f64, rounding: f64) {
        let (before, after) = (
            common::get(&self.before, name),
            common::get(&self.after, name),
        );
        let range = before.min(after) - rounding..=before.max(after) + rounding;
        assert!(range.contains(&theirs), "{name}: {theirs}, not {range:?}");
    }
}

#[test]
fn counters_are_those_of_vmstat() {
    let mut source = Source::open("host");
    let seen = Between::new(&mut source, "vmstat", &["-s"]);
    let theirs = |label: &str| {
        let line = seen
            .text
            .lines()
            .find(|line| line.trim_end().ends_with(label));
        let line = line.unwrap_or_else(|| panic!("{label} in {}", seen.text));
        line.split_whitespace()
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    seen.holds(
        "system.cpu.context_switches{}",
        theirs("CPU context switches"),
        0.0,
    );
    seen.holds("system.cpu.interrupts{}", theirs("interrupts"), 0.0);
    seen.holds("system.process.created{}", theirs("forks"), 0.0);
    seen.holds(
        "system.memory.limit{}",
        theirs("K total memory") * 1024.0,
        0.0,
    );
    for (direction, label) in [("in", "pages swapped in"), ("out", "pages swapped out")] {
        let name = format!("system.paging.operations{{system.paging.direction={direction}}}");
        seen.holds(&name, theirs(label), 0.0);
    }
    // Each CPU's ticks are rounded by themselves.
    let rounding = common::get(&seen.before, "system.cpu.logical.count{}") + 1.0;
    let modes = [
        ("user", "non-nice user cpu ticks"),
        ("system", "system cpu ticks"),
        ("idle", "idle cpu ticks"),
        ("iowait", "IO-wait cpu ticks"),
        ("steal", "stolen cpu ticks"),
    ];
    for (mode, label) in modes {
        let sum = |look: &HashMap<String, f64>| {
            let of_mode = look.iter().filter(|(key, _)| {
                key.starts_with("system.cpu.time{") && key.ends_with(&format!("cpu.mode={mode}}}"))
            });
            of_mode.map(|(_, value)| value * 100.0).sum::<f64>()
        };
        let range = sum(&seen.before) - rounding..=sum(&seen.after) + rounding;
        assert!(
            range.contains(&theirs(label)),
            "{mode}: {} {range:?}",
            theirs(label)
        );
    }
}

#[test]
fn memory_is_that_of_free() {
    let mut source = Source::open("host");
    let seen = Between::new(&mut source, "free", &["-b", "-w"]);
    let line = |head: &str| {
        let line = seen
            .text
            .lines()
            .find(|line| line.starts_with(head))
            .unwrap();
        let numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
        numbers.collect::<Vec<f64>>()
    };
    // Other programs go on in between: 256 MiB is far from any mistake of unit or column.
    let slack = f64::from(256 << 20);
    let memory = line("Mem:");
    seen.holds("system.memory.limit{}", memory[0], 0.0);
    seen.holds(
        "system.memory.usage{system.memory.state=free}",
        memory[2],
        slack,
    );
    seen.holds(
        "system.memory.usage{system.memory.state=buffers}",
        memory[4],
        slack,
    );
    seen.holds(
        "system.memory.usage{system.memory.state=cached}",
        memory[5],
        slack,
    );
    seen.holds("system.linux.memory.available{}", memory[6], slack);
    let swap = line("Swap:");
    seen.holds(
        "system.paging.usage{system.paging.state=used}",
        swap[1],
        slack,
    );
    seen.holds(
        "system.paging.usage{system.paging.state=free}",
        swap[2],
        slack,
    );
}

#[test]
fn disks_are_those_of_iostat() {
    let mut source = Source::open("host");
    let seen = Between::new(&mut source, "iostat", &["-d", "-k"]);
    let head = seen
        .text
        .lines()
        .find(|line| line.starts_with("Device"))
        .unwrap();
    let column = |name: &str| {
        head.split_whitespace()
            .position(|word| word == name)
            .unwrap()
    };
    let mut devices = 0;
    for line in seen.text.lines().skip_while(|line| *line != head).skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(device) = words.first() else {
            continue;
        };
        let prefix = "system.disk.io{disk.io.direction=";
        if !seen
            .before
            .keys()
            .any(|key| key.contains(&format!("system.device={device}}}")))
        {
            continue;
        }
        devices += 1;
        for (direction, name) in [("read", "kB_read"), ("write", "kB_wrtn")] {
            let theirs: f64 = words[column(name)].parse().unwrap();
            let name = format!("{prefix}{direction},system.device={device}}}");
            seen.holds(&name, theirs * 1024.0, 1024.0);
        }
    }
    assert!(
        devices > 0
            || seen
                .before
                .keys()
                .all(|key| !key.starts_with("system.disk."))
    );
}

#[test]
fn network_counters_are_those_of_nstat_and_ip() {
    let mut source = Source::open("host");
    let seen = Between::new(&mut source, "nstat", &["-asz"]);
    let theirs = |name: &str| {
        let mut lines = seen.text.lines().map(str::split_whitespace);
        let found = lines.find_map(|mut words| (words.next() == Some(name)).then(|| words.next()));
        found
            .flatten()
            .unwrap_or_else(|| panic!("{name}"))
            .parse::<f64>()
            .unwrap()
    };
    for (ours, name) in [
        (
            "system.tcp.segments{network.io.direction=receive}",
            "TcpInSegs",
        ),
        ("system.tcp.retransmits{}", "TcpRetransSegs"),
        ("system.tcp.opens{tcp.open=active}", "TcpActiveOpens"),
        ("system.tcp.opens{tcp.open=passive}", "TcpPassiveOpens"),
        ("system.tcp.listen.overflows{}", "TcpExtListenOverflows"),
        ("system.tcp.listen.drops{}", "TcpExtListenDrops"),
        ("system.tcp.syn.retransmits{}", "TcpExtTCPSynRetrans"),
        ("system.tcp.resets{}", "TcpEstabResets"),
    ] {
        seen.holds(ours, theirs(name), 0.0);
    }
    let seen = Between::new(&mut source, "ip", &["-s", "-j", "link", "show"]);
    let links: serde_json::Value = serde_json::from_str(&seen.text).unwrap();
    let mut compared = 0;
    for link in links.as_array().unwrap() {
        let interface = link["ifname"].as_str().unwrap();
        for (direction, short) in [("receive", "rx"), ("transmit", "tx")] {
            let of = |name: &str| {
                format!(
                    "system.network.{name}{{network.interface.name={interface},network.io.direction={direction}}}"
                )
            };
            if seen.before.contains_key(&of("io")) {
                let theirs = |field: &str| link["stats64"][short][field].as_f64().unwrap();
                seen.holds(&of("io"), theirs("bytes"), 0.0);
                seen.holds(&of("packet.count"), theirs("packets"), 0.0);
                seen.holds(&of("errors"), theirs("errors"), 0.0);
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "{}", seen.text);
}
