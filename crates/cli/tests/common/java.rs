//! Java programs that are looked at while they run.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A program that listens on a port and ends with its input.
pub struct Java {
    child: Child,
    stdin: Option<ChildStdin>,
    port: u16,
}

impl Java {
    /// A server with two workers.
    pub fn few_workers() -> Option<Self> {
        Self::limited(&["workers"])
    }

    /// A server with workers enough that is limited in that way, or slow and not limited at all.
    pub fn limited(how: &[&str]) -> Option<Self> {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java/Limited.java");
        Self::start(&[&[program], how].concat())
    }

    /// What the watcher's own tests look at.
    pub fn subject() -> Option<Self> {
        Self::start(&[concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../watch/tests/java/Subject.java"
        )])
    }

    /// Starts a program of one file, with its arguments, which says its port first; none on a
    /// machine without Java, which CI must have.
    fn start(program: &[&str]) -> Option<Self> {
        let child = Command::new("java")
            .arg("-XX:TieredStopAtLevel=1")
            .args(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            assert!(std::env::var_os("CI").is_none(), "CI must have java");
            eprintln!("skipped: java is not installed (tools/setup.sh lab)");
            return None;
        };
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("port ").unwrap().parse().unwrap();
        let stdin = child.stdin.take();
        Some(Self { child, stdin, port })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its page; that of the few workers takes 50 ms of one.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

impl Drop for Java {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
