//! Processes that look like a JVM and lay traps where a JVM's files are: nothing outside their own
//! root is opened, no link is followed there, nobody else's socket is spoken to, and nothing hangs.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use plimsoll_watch::{Artifact, Asked, Level, Look, Moment, Spec, Trouble};

/// Has the library and the log of a JVM, catches SIGQUIT and leaves a mark then.
const PROGRAM: &str = r#"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
static void woken(int signal) { creat("/woken", 0600); }
int main(int argc, char **argv) {
    signal(SIGQUIT, woken);
    mmap(0, 1, PROT_READ, MAP_PRIVATE, open("/libjvm.so", O_RDONLY), 0);
    open("/logs/gc.log", O_RDWR);
    creat("/ready", 0600);
    for (;;) pause();
}"#;

/// Neither root nor anybody who has files here.
const USER: u32 = 65_534;
const LOG: &str = "[0.005s][info][gc] Using G1\n";
const PAUSE: &str = "[1.0s][info][gc] GC(3) Pause Full (System.gc()) 20M->10M(64M) 2.0ms\n";

struct False {
    process: Child,
    folder: tempfile::TempDir,
    /// What is outside its root, with a secret in it.
    outside: tempfile::TempDir,
}

impl False {
    /// Starts it below a root of its own; none where this user may not do so.
    fn start() -> Option<Self> {
        let own = std::fs::metadata("/proc/self").unwrap();
        if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
            eprintln!("skipped: needs root");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        for name in ["tmp", "logs"] {
            std::fs::create_dir(home.join(name)).unwrap();
            mode(&home.join(name), 0o1777);
        }
        mode(home, 0o777);
        std::fs::write(home.join("libjvm.so"), "x").unwrap();
        std::fs::write(home.join("logs/gc.log"), LOG).unwrap();
        mode(&home.join("logs/gc.log"), 0o666);
        let source = home.join("java.c");
        std::fs::write(&source, PROGRAM).unwrap();
        let built = Command::new("cc")
            .args(["-static", "-o"])
            .arg(home.join("java"))
            .arg(&source)
            .status();
        assert!(built.unwrap().success());
        let root = home.to_owned();
        let mut command = Command::new("/java");
        command.arg("-Xlog:gc*:file=/logs/gc.log");
        let enter = move || {
            std::os::unix::fs::chroot(&root)?;
            // SAFETY: numbers only.
            let given = unsafe { libc::setgid(USER) == 0 && libc::setuid(USER) == 0 };
            given
                .then_some(())
                .ok_or_else(std::io::Error::last_os_error)
        };
        // SAFETY: system calls only, in the child.
        unsafe { command.pre_exec(enter) };
        let process = command.current_dir("/").spawn().unwrap();
        let made = Self {
            process,
            folder,
            outside: tempfile::tempdir().unwrap(),
        };
        std::fs::write(made.secret(), LOG).unwrap();
        made.until(|| made.at("ready").exists());
        Some(made)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A file of root's outside.
    fn secret(&self) -> PathBuf {
        self.outside.path().join("secret")
    }

    fn until(&self, mut done: impl FnMut() -> bool) {
        let began = Instant::now();
        while !done() {
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn spec(&self, source: &str) -> Spec {
        let mut spec = Spec::parse(&format!("{source}=pid:{}", self.process.id())).unwrap();
        spec.level = Level::Capture;
        spec
    }

    /// Looks at its counters, as who has never looked before.
    async fn counters(&self) -> Result<Look, Trouble> {
        let mut source = self.spec("jvm").open().unwrap();
        let mut look = Look::at(1);
        let looked = source.collectors[0].collect(&mut look);
        let looked = tokio::time::timeout(Duration::from_secs(30), looked).await;
        looked.expect("it hangs").map(|()| look)
    }

    async fn dump(&self) -> Result<Vec<Artifact>, Trouble> {
        let source = self.spec("jvm").open().unwrap();
        let captures = source.captures.into_iter();
        let mut dump = { captures }
            .find(|capture| capture.kind() == "thread_dump")
            .unwrap();
        let taken = dump.take(Asked::from(Moment::Start));
        let taken = tokio::time::timeout(Duration::from_secs(60), taken).await;
        taken.expect("it hangs")
    }

    fn socket(&self) -> PathBuf {
        self.at(&format!("tmp/.java_pid{}", self.process.id()))
    }
}

impl Drop for False {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn give(path: &Path, uid: u32) {
    chown(path, Some(uid), Some(uid)).unwrap();
}

/// A file of counters without any.
fn no_counters() -> Vec<u8> {
    let mut bytes = vec![0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1, 32, 0, 0, 0];
    bytes.resize(24, 0);
    bytes.extend_from_slice(&[32, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

#[tokio::test]
async fn counters_are_a_regular_file_of_the_processs_own_user_in_its_own_root() {
    let Some(wrong) = False::start() else { return };
    let own = wrong.at("tmp/hsperfdata_x");
    let file = own.join(wrong.process.id().to_string());
    let id = |looked: Result<Look, Trouble>| looked.map(drop).map_err(|trouble| trouble.message.id);
    assert_eq!(
        id(wrong.counters().await),
        Err("watch-jvm-no-counters".to_owned())
    );
    std::fs::create_dir(&own).unwrap();
    mode(&own, 0o755);
    // As it should be.
    std::fs::write(&file, no_counters()).unwrap();
    give(&file, USER);
    assert_eq!(id(wrong.counters().await), Ok(()));
    // Root's, readable to all.
    give(&file, 0);
    assert!(wrong.counters().await.is_err());
    std::fs::remove_file(&file).unwrap();
    // A good file of its own, by a link.
    let good = wrong.at("good");
    std::fs::write(&good, no_counters()).unwrap();
    give(&good, USER);
    symlink("/good", &file).unwrap();
    assert!(wrong.counters().await.is_err());
    // One outside, by a link to its folder.
    std::fs::remove_dir_all(&own).unwrap();
    let elsewhere = wrong.outside.path().join(wrong.process.id().to_string());
    std::fs::write(&elsewhere, no_counters()).unwrap();
    give(&elsewhere, USER);
    mode(wrong.outside.path(), 0o755);
    symlink(wrong.outside.path(), &own).unwrap();
    assert!(wrong.counters().await.is_err());
    std::fs::remove_file(&own).unwrap();
    // What would block who opens it, what is no counters, what has no end.
    std::fs::create_dir(&own).unwrap();
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    give(&file, USER);
    assert!(wrong.counters().await.is_err());
    std::fs::remove_file(&file).unwrap();
    for content in [&b"root:x:0:0"[..], b""] {
        std::fs::write(&file, content).unwrap();
        give(&file, USER);
        assert!(wrong.counters().await.is_err());
    }
    let endless = std::fs::File::create(&file).unwrap();
    endless.set_len(1 << 40).unwrap();
    assert!(wrong.counters().await.is_err());
}

#[tokio::test]
async fn a_gc_log_is_read_in_the_processs_own_root_with_its_own_rights() {
    let Some(wrong) = False::start() else { return };
    let mut source = wrong.spec("gc-log").open().unwrap();
    let mut pauses = async || {
        let mut look = Look::at(2_000_000_000_000_000_000);
        // What it cannot read is a failure of this look.
        let _ = source.collectors[0].collect(&mut look).await;
        let of = |look: &Look| {
            look.points()
                .any(|(key, _)| key.name == "jvm.gc.pause.count")
        };
        of(&look)
    };
    assert!(!pauses().await);
    let log = wrong.at("logs/gc.log");
    let append = |path: &Path| {
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(PAUSE.as_bytes()).unwrap();
    };
    // In its place: what is outside, what only root may read, what blocks.
    let private = wrong.at("private");
    std::fs::write(&private, PAUSE).unwrap();
    mode(&private, 0o600);
    append(&wrong.secret());
    mode(&wrong.secret(), 0o644);
    mode(wrong.outside.path(), 0o755);
    let targets = [
        wrong.secret(),
        PathBuf::from("/private"),
        PathBuf::from("/proc/self/environ"),
    ];
    std::fs::rename(&log, wrong.at("logs/real")).unwrap();
    for target in targets {
        symlink(&target, &log).unwrap();
        assert!(!pauses().await, "{target:?}");
        std::fs::remove_file(&log).unwrap();
    }
    let made = Command::new("mkfifo").arg(&log).status();
    assert!(made.unwrap().success());
    assert!(!pauses().await);
    std::fs::remove_file(&log).unwrap();
    // The log itself, where the process has it open.
    std::fs::rename(wrong.at("logs/real"), &log).unwrap();
    assert!(!pauses().await);
    append(&log);
    assert!(pauses().await);
}

#[tokio::test]
async fn only_the_process_itself_is_spoken_to() {
    let Some(wrong) = False::start() else { return };
    let socket = wrong.socket();
    let nobody_came = |listener: &UnixListener| {
        listener.set_nonblocking(true).unwrap();
        let mut said = [0; 64];
        match listener.accept() {
            Err(_) => true,
            Ok((mut stream, _)) => {
                stream
                    .set_read_timeout(Some(Duration::from_millis(200)))
                    .unwrap();
                std::io::Read::read(&mut stream, &mut said).unwrap_or(0) == 0
            }
        }
    };
    let denied = |taken: Result<Vec<Artifact>, Trouble>| {
        let id = taken.unwrap_err().message.id;
        assert_eq!(id, "watch-jvm-attach-denied");
    };
    // Root's socket, which anybody may speak to.
    let listener = UnixListener::bind(&socket).unwrap();
    mode(&socket, 0o777);
    denied(wrong.dump().await);
    assert!(nobody_came(&listener));
    // One that is said to be the process's, behind which another listens.
    give(&socket, USER);
    denied(wrong.dump().await);
    assert!(nobody_came(&listener));
    std::fs::remove_file(&socket).unwrap();
    // One outside, by a link.
    let outside = wrong.outside.path().join("socket");
    let listener = UnixListener::bind(&outside).unwrap();
    mode(wrong.outside.path(), 0o755);
    mode(&outside, 0o777);
    symlink(&outside, &socket).unwrap();
    denied(wrong.dump().await);
    assert!(nobody_came(&listener));
    std::fs::remove_file(&socket).unwrap();
    // What would block who opens it, and what is no socket.
    let made = Command::new("mkfifo").arg(&socket).status();
    assert!(made.unwrap().success());
    denied(wrong.dump().await);
    std::fs::remove_file(&socket).unwrap();
    std::fs::write(&socket, "x").unwrap();
    denied(wrong.dump().await);
    assert!(!wrong.at("woken").exists(), "it was not to be woken");
}

#[tokio::test]
async fn who_is_woken_gets_a_file_of_its_own_and_no_link_is_written_through() {
    let Some(wrong) = False::start() else { return };
    let trigger = wrong.at(&format!("tmp/.attach_pid{}", wrong.process.id()));
    let victim = wrong.at("victim");
    std::fs::write(&victim, "as it was").unwrap();
    symlink("/victim", &trigger).unwrap();
    // It never opens a socket.
    let trouble = wrong.dump().await.unwrap_err();
    assert_eq!(trouble.message.id, "watch-jvm-attach-silent");
    wrong.until(|| wrong.at("woken").exists());
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "as it was");
}
