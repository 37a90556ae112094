//! Processes that call themselves nginx: nothing of theirs is run, and their files are read in
//! their own root with their own rights.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use plimsoll_watch::Look;
use support::{look, open, value};

/// Leaves a mark if anybody runs it as nginx; else it waits.
const PROGRAM: &str = r#"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv) {
    if (argc > 1) { creat(MARK, 0600); return 0; }
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        memset(argv[0], 0, strlen(argv[0]));
        strcpy(argv[0], "nginx: worker process");
    }
    for (;;) pause();
}"#;

struct False {
    process: Child,
    folder: tempfile::TempDir,
}

impl False {
    /// Starts it as another user, below a root of its own if that is wanted; none where this
    /// user may not do so.
    fn start(own_root: bool, write: impl Fn(&Path)) -> Option<Self> {
        if !is_root() {
            eprintln!("skipped: needs root");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        mode(home, 0o755);
        write(home);
        let source = home.join("nginx.c");
        let mark = format!("#define MARK \"{}\"\n", home.join("mark").display());
        std::fs::write(&source, format!("{mark}{PROGRAM}")).unwrap();
        let built = Command::new("cc")
            .args(["-static", "-o"])
            .arg(home.join("nginx"))
            .arg(&source)
            .status();
        assert!(built.unwrap().success());
        let (program, seen) = match own_root {
            true => (PathBuf::from("/nginx"), PathBuf::from("/")),
            false => (home.join("nginx"), home.to_owned()),
        };
        let mut command = Command::new(program);
        let config = seen.join("nginx.conf").display().to_string();
        command.arg0(format!("nginx: master process nginx -c {config}"));
        if own_root {
            let root = home.to_owned();
            // SAFETY: system calls only, in the child.
            unsafe { command.pre_exec(move || std::os::unix::fs::chroot(&root)) };
        } else {
            command.uid(65_534).gid(65_534);
        }
        let process = command.current_dir("/").spawn().unwrap();
        Some(Self { process, folder })
    }

    async fn look(&self) -> Look {
        let pid = self.process.id().to_string();
        let mut source = open("nginx", "", &[("pid", &pid)]);
        let began = Instant::now();
        let seen = loop {
            // Its worker appears a moment later.
            let seen = look(&mut source.collectors[0]).await;
            if value(&seen, "nginx.worker.count", &[]) == Some(1.0) {
                break seen;
            }
            assert!(began.elapsed() < Duration::from_secs(60));
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        look(&mut source.collectors[1]).await;
        seen
    }

    fn was_run(&self) -> bool {
        self.folder.path().join("mark").exists()
    }
}

impl Drop for False {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn fact(look: &Look, name: &str) -> Option<String> {
    let found = look.facts().iter().find(|fact| fact.name == name)?;
    Some(found.value.clone())
}

fn unread(look: &Look) -> bool {
    let mut notes = look.notes().iter();
    notes.any(|note| note.message.id == "watch-nginx-config-part")
}

#[tokio::test]
async fn another_user_s_process_is_not_run_and_read_with_its_own_rights() {
    let wrong = False::start(false, |home| {
        let config = "events { worker_connections 7; }\ninclude secret;\ninclude link;\n\
            include pipe;\ninclude /dev/zero;\ninclude /proc/self/environ;\nerror_log /dev/zero;\n";
        std::fs::write(home.join("nginx.conf"), config).unwrap();
        std::fs::write(home.join("secret"), "worker_processes 99;").unwrap();
        mode(&home.join("secret"), 0o600);
        symlink("secret", home.join("link")).unwrap();
        let made = Command::new("mkfifo").arg(home.join("pipe")).status();
        assert!(made.unwrap().success());
    });
    let Some(wrong) = wrong else { return };
    let seen = wrong.look().await;
    let connections = fact(&seen, "nginx.events.worker_connections");
    assert_eq!(connections.as_deref(), Some("7"), "{:?}", seen.notes());
    assert_eq!(fact(&seen, "nginx.worker_processes"), None);
    assert!(unread(&seen));
    assert!(!wrong.was_run());
}

#[tokio::test]
async fn a_process_with_a_root_of_its_own_is_read_there() {
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(outside.path(), "worker_processes 99;").unwrap();
    let wrong = False::start(true, |home| {
        let name = outside.path().display();
        let config = format!("include {name};\ninclude ../../../../..{name};\ninclude link;\n");
        std::fs::write(home.join("real.conf"), format!("{config}include inner;")).unwrap();
        symlink("/real.conf", home.join("nginx.conf")).unwrap();
        symlink(outside.path(), home.join("link")).unwrap();
        std::fs::write(home.join("inner"), "worker_rlimit_nofile 5;").unwrap();
    });
    let Some(wrong) = wrong else { return };
    let seen = wrong.look().await;
    let inner = fact(&seen, "nginx.worker_rlimit_nofile");
    assert_eq!(inner.as_deref(), Some("5"), "{:?}", seen.notes());
    assert_eq!(fact(&seen, "nginx.worker_processes"), None);
    assert!(unread(&seen));
    assert!(!wrong.was_run());
}
