//! Whoever watches executes nothing, and writes nowhere but into its own folders: each of its system calls, by strace.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use common::folder;
use common::java::Java;

/// The calls that start a program, change a file or a process, or open for that.
const CALLS: &str = "trace=execve,execveat,open,openat,openat2,creat,truncate,rename,renameat,renameat2,unlink,unlinkat,\
                     mkdir,mkdirat,mknod,mknodat,link,linkat,symlink,symlinkat,chmod,fchmodat,chown,fchownat,utimensat,\
                     setxattr,mount,ptrace,process_vm_writev,kill,tkill,tgkill,pidfd_open,pidfd_send_signal";

/// Every call that succeeded of a run that watches the Java program, without the words before it.
fn calls(server: &Java, home: &Path, watch: &[&str]) -> Option<Vec<String>> {
    // A file for each thread: no call is told in two pieces.
    let traces = home.join("traces");
    std::fs::create_dir(&traces).unwrap();
    let mut run = Command::new("strace");
    run.args([
        "-ff",
        "-y",
        "-qq",
        "-s",
        "4096",
        "-e",
        "signal=none",
        "-e",
        CALLS,
        "-o",
    ])
    .arg(traces.join("calls"))
    .arg(env!("CARGO_BIN_EXE_plimsoll"))
    .args([
        "run",
        &server.url(),
        "-c",
        "4",
        "--warm-up",
        "1s",
        "--duration",
        "9s",
        "--quiet",
    ])
    .args(["--watch", "auto"])
    .args(watch)
    .current_dir(home)
    .env("HOME", home)
    .stdin(Stdio::null())
    .stdout(Stdio::null());
    let Ok(status) = run.status() else {
        assert!(std::env::var_os("CI").is_none(), "CI must have strace");
        eprintln!("skipped: strace is not installed (tools/setup.sh test)");
        return None;
    };
    assert!(status.code().is_some(), "{status}");
    let files = std::fs::read_dir(&traces).unwrap();
    let text: String = files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let calls = text.lines().filter(|call| !call.contains(" = -1 "));
    let calls: Vec<String> = calls.map(str::to_owned).collect();
    assert!(calls.len() > 20, "{text}");
    Some(calls)
}

/// Those that change something.
fn changes(calls: &[String]) -> BTreeSet<String> {
    let opens = |call: &&String| {
        if call.starts_with("pidfd_open") {
            return false;
        }
        let name = call.split('(').next().unwrap_or_default();
        let is_open = name.starts_with("open");
        let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"];
        !is_open || writes.iter().any(|flag| call.contains(flag))
    };
    calls.iter().filter(opens).cloned().collect()
}

/// Whether a change is one of this program's own folders, or of devices that keep nothing.
fn is_own(call: &str, home: &Path) -> bool {
    let quoted = || call.split('"').skip(1).step_by(2);
    // What a path begins at, if not at the root or where the program is.
    let folder = call.split(['<', '>']).nth(1);
    let own = |path: &str| {
        let folder = folder.map_or(home, Path::new);
        folder.join(path).starts_with(home)
            || ["/dev/null", "/dev/tty", "/dev/urandom"].contains(&path)
    };
    quoted().count() > 0 && quoted().all(own)
}

/// All changes but its own start and its own files; and the descriptor of the Java program, by which signals reach it.
fn foreign(server: &Java, watch: &[&str]) -> Option<(Vec<String>, Option<String>)> {
    let home = folder();
    let home = home.path().canonicalize().unwrap();
    let calls = calls(server, &home, watch)?;
    let started: Vec<&String> = calls
        .iter()
        .filter(|call| call.starts_with("exec"))
        .collect();
    assert_eq!(started.len(), 1, "programs were started: {started:#?}");
    assert!(started[0].contains("plimsoll"), "{started:?}");
    let others = changes(&calls).into_iter();
    let others = others.filter(|call| !call.starts_with("exec") && !is_own(call, &home));
    let opened = format!("pidfd_open({}, 0)", server.id());
    let descriptor = calls.iter().find_map(|call| {
        let result = call.strip_prefix(&opened)?;
        result.trim_start().strip_prefix("= ")
    });
    Some((others.collect(), descriptor.map(str::to_owned)))
}

#[test]
fn whoever_watches_executes_nothing_and_changes_nothing() {
    let Some(server) = Java::limited(&["permits"]) else {
        return;
    };
    let Some((changes, _)) = foreign(&server, &[]) else {
        return;
    };
    assert_eq!(changes, Vec::<String>::new());
}

#[test]
fn captures_of_a_jvm_ask_it_by_its_own_protocol_alone() {
    let Some(server) = Java::limited(&["permits"]) else {
        return;
    };
    let Some((changes, descriptor)) = foreign(&server, &["--watch-allow-capture"]) else {
        return;
    };
    // HotSpot is asked to listen by a file of this name and SIGQUIT; the file is taken away again.
    let asks = format!(".attach_pid{}\"", server.id());
    let descriptor = descriptor.expect("the JVM was not asked");
    let signal = format!("pidfd_send_signal({descriptor}, SIGQUIT, ");
    let others: Vec<&String> = changes
        .iter()
        .filter(|call| !call.contains(&asks) && !call.starts_with(&signal))
        .collect();
    assert_eq!(others, Vec::<&String>::new(), "{changes:#?}");
    let count = |what: &str| changes.iter().filter(|call| call.starts_with(what)).count();
    assert!(count("open") > 0 && count("unlink") > 0, "{changes:#?}");
}
