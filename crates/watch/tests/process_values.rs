//! What the process source says of real processes, beside what `/proc`, `top -H` and the
//! process itself know.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use common::{Source, get};

/// A Python process that does what it is told, one line after the other.
struct Helper {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

const HELPER: &str = r#"
import sys, os, socket, threading, time, mmap
kept = []
def burn(name, seconds):
    with open('/proc/self/task/%d/comm' % threading.get_native_id(), 'w') as f: f.write(name)
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
for line in sys.stdin:
    word, *rest = line.split()
    value = 'done'
    if word == 'listen':
        s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(('127.0.0.1', int(rest[0]))); s.listen(50); kept.append(s); value = s.getsockname()[1]
    elif word == 'accept':
        kept.append(kept[0].accept()[0])
    elif word == 'burn':
        thread = threading.Thread(target=burn, args=(rest[0], float(rest[1]))); thread.start(); thread.join()
    elif word == 'thread':
        stop = threading.Event()
        def run():
            burn(rest[0], float(rest[1])); ready.set(); stop.wait()
        ready = threading.Event()
        t = threading.Thread(target=run, daemon=True); t.start(); ready.wait(); value = t.native_id
    elif word == 'memory':
        block = bytearray(int(rest[0])); block[::4096] = b'x' * len(block[::4096]); kept.append(block)
    elif word == 'open':
        kept.extend(open('/dev/null') for _ in range(int(rest[0])))
    elif word == 'write':
        with open(rest[0], 'wb') as f: f.write(b'x' * int(rest[1])); f.flush(); os.fsync(f.fileno())
    elif word == 'sleep':
        for _ in range(int(rest[0])): time.sleep(0.0001)
    elif word == 'fork':
        parent = os.getpid(); pid = os.fork()
        if pid == 0:
            end = time.process_time() + float(rest[0])
            while time.process_time() < end: pass
            print('ready', flush=True)
            while os.getppid() == parent: time.sleep(0.05)
            os._exit(0)
        value = pid
    elif word == 'run':
        code = 'import time\nwhile time.process_time() < %s: pass' % rest[0]
        os.spawnv(os.P_WAIT, sys.executable, [sys.executable, '-c', code])
    elif word == 'kill':
        os.kill(int(rest[0]), 9); os.waitpid(int(rest[0]), 0)
    print(value, flush=True)
"#;

impl Helper {
    fn start() -> Self {
        let mut child = Command::new("python3")
            .args(["-c", HELPER, "--password=hunter2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut helper = Self {
            stdin: child.stdin.take().unwrap(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        // Python has loaded what it needs.
        assert_eq!(helper.ask("sleep 0"), "done");
        helper
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    fn ask(&mut self, order: &str) -> String {
        writeln!(self.stdin, "{order}").unwrap();
        self.line()
    }

    fn by_pid(&self) -> Source {
        Source::open(&format!("process=pid:{}", self.child.id()))
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn grown(before: &HashMap<String, f64>, after: &HashMap<String, f64>, name: &str) -> f64 {
    get(after, name) - get(before, name)
}

fn cpu(look: &HashMap<String, f64>) -> f64 {
    get(look, "process.cpu.time{cpu.mode=user}") + get(look, "process.cpu.time{cpu.mode=system}")
}

#[test]
fn programs_that_it_started_count_apart_once_they_end() {
    let mut helper = Helper::start();
    let mut source = helper.by_pid();
    let before = source.look();
    helper.ask("run 0.3");
    let after = source.look();
    let children = grown(&before, &after, "process.child.cpu.time{}");
    assert!((0.29..1.0).contains(&children), "{children}");
    assert!(cpu(&after) - cpu(&before) < 0.2);
}

#[test]
fn cpu_time_of_threads_comes_under_their_names() {
    let mut helper = Helper::start();
    let mut source = helper.by_pid();
    let before = source.look();
    let tid = helper.ask("thread hot-17 0.30");
    helper.ask("thread hot-18 0.20");
    helper.ask("burn brief-1 0.20");
    let after = source.look();
    let hot = format!("process.thread.cpu.time{{thread.id={tid},thread.name=hot-17}}");
    let hot = get(&after, &hot);
    assert!((0.29..0.6).contains(&hot), "{hot}");
    let group = get(&after, "process.thread_group.cpu.time{thread.group=hot-*}");
    assert!((0.49..1.0).contains(&group), "{group}");
    assert_eq!(
        get(&after, "process.thread_group.count{thread.group=hot-*}"),
        2.0
    );
    // Threads that have ended count in the process as a whole.
    let all = cpu(&after) - cpu(&before);
    assert!((0.67..1.4).contains(&all), "{all}");
    // The brief one may not be gone altogether yet.
    let threads = grown(&before, &after, "process.thread.count{}");
    assert!((2.0..=3.0).contains(&threads), "{threads}");

    // `top -H` shows hundredths of a second and the same name.
    let top = Command::new("top")
        .args([
            "-H",
            "-b",
            "-n",
            "1",
            "-w",
            "200",
            "-p",
            &helper.child.id().to_string(),
        ])
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let top = String::from_utf8(top.stdout).unwrap();
    let line = top
        .lines()
        .find(|line| line.trim_start().starts_with(&tid))
        .unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let (minutes, seconds) = words[10].split_once(':').unwrap();
    let theirs = minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap();
    assert!((theirs - hot).abs() <= 0.02, "{theirs} {hot}");
    assert_eq!(words[11], "hot-17");
}

#[test]
fn memory_files_and_bytes_are_those_the_process_took() {
    let folder = tempfile::tempdir().unwrap();
    let mut helper = Helper::start();
    let mut source = helper.by_pid();
    let before = source.look();
    helper.ask("memory 67108864");
    helper.ask("open 20");
    let file = folder.path().join("file");
    helper.ask(&format!("write {} 3000000", file.display()));
    helper.ask("sleep 200");
    let after = source.look();
    let memory = grown(&before, &after, "process.memory.usage{}");
    assert!((64e6..80e6).contains(&memory), "{memory}");
    let faults = grown(
        &before,
        &after,
        "process.paging.faults{system.paging.fault.type=minor}",
    );
    assert!(faults > 0.0);
    assert_eq!(
        grown(&before, &after, "process.unix.file_descriptor.count{}"),
        20.0
    );
    let kind = "process.unix.file_descriptor.kind.count{file_descriptor.kind=file}";
    assert_eq!(grown(&before, &after, kind), 20.0);
    let written = grown(&before, &after, "process.call.io{disk.io.direction=write}");
    assert!((3e6..3.1e6).contains(&written), "{written}");
    let switches = "process.context_switches{process.context_switch.type=voluntary}";
    assert!(grown(&before, &after, switches) >= 200.0);

    let status = std::fs::read_to_string(format!("/proc/{}/status", helper.child.id())).unwrap();
    let line = |head: &str| {
        let rest = status
            .lines()
            .find_map(|line| line.strip_prefix(head))
            .unwrap();
        rest.split_whitespace()
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    // It rests, or goes to rest just now.
    assert_eq!(
        get(&after, "process.memory.virtual{}"),
        line("VmSize:") * 1024.0
    );
    let resident = get(&after, "process.memory.usage{}");
    assert!(
        (resident - line("VmRSS:") * 1024.0).abs() < 1e6,
        "{resident}"
    );
    assert_eq!(get(&after, "process.thread.count{}"), line("Threads:"));
    let forced = "process.context_switches{process.context_switch.type=involuntary}";
    for (name, theirs) in [
        (switches, "voluntary_ctxt_switches:"),
        (forced, "nonvoluntary_ctxt_switches:"),
    ] {
        let moved = line(theirs) - get(&after, name);
        assert!((0.0..=3.0).contains(&moved), "{name} {moved}");
    }

    assert_eq!(source.facts["process.pid"], helper.child.id().to_string());
    let line = &source.facts["process.command_line"];
    assert!(
        line.contains("--password=***") && !line.contains("hunter2"),
        "{line}"
    );
}

#[test]
fn a_process_is_found_again_by_its_port() {
    let mut first = Helper::start();
    let port = first.ask("listen 0");
    let mut source = Source::open(&format!("process={port}"));
    let before = source.look();
    let _client = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
    first.ask("accept");
    let after = source.look();
    let established = "process.network.connection.count{network.connection.state=established}";
    assert_eq!(get(&after, established), 1.0);
    let listening = "process.network.connection.count{network.connection.state=listen}";
    assert_eq!(get(&before, listening), 1.0);
    assert_eq!(source.facts["process.pid"], first.child.id().to_string());
    assert_eq!(source.facts["process.listening.ports"], port);
    drop(first);
    let trouble = source.try_look().unwrap_err();
    assert_eq!(trouble.message.id, "watch-process-absent");
    assert_eq!(source.noted(), ["watch-process-gone"]);

    let mut second = Helper::start();
    second.ask(&format!("listen {port}"));
    let again = source.look();
    assert_eq!(
        source.noted(),
        ["watch-process-gone", "watch-process-restarted"]
    );
    assert_eq!(source.facts["process.pid"], second.child.id().to_string());
    assert!(cpu(&again) > 0.0);
    let entities: Vec<_> = source
        .notes
        .iter()
        .map(|note| note.entity.clone())
        .collect();
    assert_eq!(entities[0], entities[1], "its series go on");
    assert!(
        entities[0].name.ends_with(&format!("[{port}]")),
        "{}",
        entities[0]
    );
}

#[test]
fn workers_count_with_the_process_they_come_from() {
    let mut helper = Helper::start();
    let mut source = helper.by_pid();
    let before = source.look();
    assert_eq!(get(&before, "process.worker.count{}"), 1.0);
    let pid = helper.ask("fork 0.2");
    let pid = if pid == "ready" {
        helper.line()
    } else {
        assert_eq!(helper.line(), "ready");
        pid
    };
    let with = source.look();
    assert_eq!(get(&with, "process.worker.count{}"), 2.0);
    // Its user and system time are each cut to hundredths.
    assert!(cpu(&with) - cpu(&before) >= 0.17);
    helper.ask(&format!("kill {pid}"));
    let without = source.look();
    assert_eq!(get(&without, "process.worker.count{}"), 1.0);
    assert!(
        cpu(&without) >= cpu(&with),
        "what an ended worker used stays used"
    );
}

#[test]
fn a_process_that_is_not_there_is_a_trouble_that_passes() {
    let mut source = Source::open("process=no-such-program");
    assert_eq!(
        source.try_look().unwrap_err().message.id,
        "watch-process-absent"
    );
    let spec = plimsoll_watch::Spec::parse("process=/bin/x").unwrap();
    assert_eq!(spec.open().err().unwrap().0.id, "watch-process-address");
    let mut helpers = [Helper::start(), Helper::start()];
    helpers
        .iter_mut()
        .for_each(|helper| assert_eq!(helper.ask("sleep 0"), "done"));
    let name = std::fs::read_link(format!("/proc/{}/exe", helpers[0].child.id())).unwrap();
    let name = name.file_name().unwrap().to_str().unwrap();
    let mut source = Source::open(&format!("process={name}"));
    assert_eq!(
        source.try_look().unwrap_err().message.id,
        "watch-process-ambiguous"
    );
}
