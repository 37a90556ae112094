//! A real server with too few workers.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A server with two workers.
pub struct FewWorkers {
    child: Child,
    stdin: Option<ChildStdin>,
    port: u16,
}

impl FewWorkers {
    /// Starts it; none on a machine without Java, which CI must have.
    pub fn start() -> Option<Self> {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java/FewWorkers.java");
        let child = Command::new("java")
            .args(["-XX:TieredStopAtLevel=1", source])
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

    /// Its page, which takes 50 ms of a worker.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

impl Drop for FewWorkers {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
