//! JVMs for tests: real ones, that end with the test.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The JDKs of this machine: the one on the path and those in `/usr/lib/jvm`.
pub fn jdks() -> &'static [PathBuf] {
    static JDKS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    JDKS.get_or_init(|| {
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&on_path).map(|bin| bin.join("javac"));
        let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten();
        let installed = installed.flatten().map(|jdk| jdk.path().join("bin/javac"));
        let compilers = on_path
            .chain(installed)
            .filter_map(|javac| javac.canonicalize().ok());
        let mut found: Vec<_> = compilers
            .filter_map(|javac| javac.parent().map(Path::to_path_buf))
            .filter(|bin| bin.join("jcmd").exists())
            .collect();
        found.sort();
        found.dedup();
        assert!(!found.is_empty(), "a JDK is needed");
        found
    })
}

/// The JDK for tests that need one only.
pub fn jdk() -> &'static Path {
    &jdks()[0]
}

/// Runs a tool of the JDK and gives what it printed.
pub fn tool(bin: &Path, name: &str, arguments: &[&str]) -> String {
    let output = Command::new(bin.join(name))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{name} {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The folder with the compiled `Subject`, for any JDK from 11 on.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = CLASSES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Subject.java");
        let to = folder.path().to_str().unwrap();
        let arguments = ["--release", "11", "-d", to, source.to_str().unwrap()];
        tool(jdk(), "javac", &arguments);
        // Other users' JVMs read it too.
        let readable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), readable).unwrap();
        folder
    });
    folder.path()
}

/// A running `Subject`.
pub struct Subject {
    pub child: Child,
    pub port: u16,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Subject {
    /// Starts it with these options of the JVM.
    pub fn start(bin: &Path, options: &[&str]) -> Self {
        Self::run(&mut Command::new(bin.join("java")), options)
    }

    /// Starts it as another user, which only root can.
    pub fn start_as(bin: &Path, uid: u32) -> Self {
        let mut command = Command::new(bin.join("java"));
        Self::run(command.uid(uid).gid(uid).current_dir("/"), &[])
    }

    fn run(command: &mut Command, options: &[&str]) -> Self {
        let mut child = command
            .args(options)
            .arg("-cp")
            .arg(classes())
            .arg("Subject")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut subject = Self {
            port: 0,
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        let port = subject.line("port ");
        subject.port = port.parse().unwrap();
        subject
    }

    pub fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Has it do something, and waits until it is done.
    pub fn tell(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
        self.line(&format!("done {line}"));
    }

    /// The rest of the next line that begins so; other lines (the JVM's) are passed over.
    fn line(&mut self, start: &str) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.stdout.read_line(&mut line).unwrap();
            assert!(read > 0, "the JVM ended before it said {start:?}");
            if let Some(rest) = line.trim_end().strip_prefix(start) {
                return rest.to_owned();
            }
        }
    }
}

impl Drop for Subject {
    /// Lets it end by itself, so that it removes its files in `/tmp`.
    fn drop(&mut self) {
        drop(self.stdin.take());
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10) {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
