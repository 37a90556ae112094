//! `plimsoll watch` and `plimsoll agent` as a user who may not see everything: what is missing
//! is said, and the rest is seen.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Agent, Server, folder, plimsoll};
use tempfile::TempDir;

/// The binary where everybody may run it; none unless this is root, who can play another user.
fn shared_binary() -> Option<(TempDir, PathBuf)> {
    let uid = Command::new("id").arg("-u").output().unwrap();
    if uid.stdout != b"0\n" {
        eprintln!("skipped: only root can act as another user");
        return None;
    }
    let dir = folder();
    let readable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(dir.path(), readable).unwrap();
    let binary = dir.path().join("plimsoll");
    std::fs::copy(env!("CARGO_BIN_EXE_plimsoll"), &binary).unwrap();
    Some((dir, binary))
}

/// A program run by `nobody`.
fn as_nobody(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"])
        .arg(program)
        .current_dir("/")
        .env_remove("HOME")
        .env_remove("XDG_STATE_HOME")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null());
    command
}

/// A process that sleeps, ended with the test.
struct Sleeper(Child);

impl Sleeper {
    fn of_nobody() -> Self {
        let mut command = as_nobody(Path::new("/bin/sleep"));
        Self(command.arg("600").spawn().unwrap())
    }

    fn source(&self) -> String {
        format!("process=pid:{}", self.0.id())
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What one look as JSON says.
fn looked(command: &mut Command) -> serde_json::Value {
    let output = command.args(["--once", "--json"]).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!err.contains("panicked"), "{err}");
    assert_eq!(output.status.code(), Some(0), "{err}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whether there is a point of that series of the process.
fn has(seen: &serde_json::Value, series: &str, pid: u32) -> bool {
    let of_process = format!("[{pid}]");
    seen["series"].as_array().unwrap().iter().any(|one| {
        let entity = one["entity"].to_string();
        one["name"] == series && entity.contains(&of_process)
    })
}

#[test]
fn a_user_without_rights_sees_own_processes_and_is_told_what_is_missing() {
    let Some((_dir, binary)) = shared_binary() else {
        return;
    };
    let own = Sleeper::of_nobody();
    let roots = std::process::id();
    let of_root = format!("process=pid:{roots}");
    let mut command = as_nobody(&binary);
    command.args(["watch", "--watch", "host", "--watch", &own.source()]);
    let seen = looked(command.args(["--watch", &of_root]));
    let text = seen.to_string();
    assert!(text.contains("system.cpu.run_queue"), "{text}");
    let files = "process.unix.file_descriptor.count";
    assert!(has(&seen, files, own.0.id()), "{text}");
    assert!(!has(&seen, files, roots), "{text}");
    assert!(has(&seen, "process.cpu.time", roots), "{text}");
    let missing = "Open files and sockets of";
    assert_eq!(text.matches(missing).count(), 1, "{text}");
    assert!(text.contains("Watch as that user or as root"), "{text}");
}

#[test]
fn a_user_without_rights_is_told_that_the_target_is_anothers() {
    let Some((_dir, binary)) = shared_binary() else {
        return;
    };
    let server = Server::start();
    let target = server.url("").trim_start_matches("http://").to_owned();
    let mut command = as_nobody(&binary);
    command.args(["watch", "--watch", "auto", "--watch", "host"]);
    let seen = looked(command.args(["--target", &target])).to_string();
    assert!(seen.contains("belongs to another user"), "{seen}");
    assert!(seen.contains(&target), "{seen}");
}

#[test]
fn an_agent_without_rights_says_what_it_cannot_see() {
    let Some((_dir, binary)) = shared_binary() else {
        return;
    };
    let own = Sleeper::of_nobody();
    let of_root = format!("process=pid:{}", std::process::id());
    let mut command = as_nobody(&binary);
    command.args(["agent", "--listen", "127.0.0.1:0", "--watch", "host"]);
    command.args(["--watch", &own.source(), "--watch", &of_root]);
    let agent = Agent::of(command);
    let dir = folder();
    let source = format!("agent={}", agent.address);
    let shown = plimsoll(&dir, &["watch", "--once", "--watch", &source]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains("run queue"), "{shown:?}");
    assert!(shown.out.contains("Open files and sockets of"), "{shown:?}");
}
