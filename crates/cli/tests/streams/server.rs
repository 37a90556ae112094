//! The server of the tests: `app.py` under uvicorn.

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::support::eventually;
use super::support::nginx::free_port;

pub struct StreamServer {
    child: Child,
    pub url: String,
}

impl Drop for StreamServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl StreamServer {
    /// Starts it, with compression of messages or without; none where uvicorn is not installed. In
    /// CI it must be.
    pub fn start(deflate: bool) -> Option<Self> {
        let python = "/usr/bin/python3";
        let there = Command::new(python)
            .args(["-c", "import uvicorn, starlette, websockets"])
            .stderr(Stdio::null())
            .status();
        if !there.is_ok_and(|status| status.success()) {
            assert!(std::env::var_os("CI").is_none(), "CI must have uvicorn");
            eprintln!("skipped: uvicorn is not installed (tools/setup.sh)");
            return None;
        }
        let port = free_port();
        let deflate = if deflate { "true" } else { "false" };
        let child = Command::new(python)
            .args(["-B", "-m", "uvicorn", "--log-level", "error"])
            .args(["--ws-per-message-deflate", deflate])
            .args(["--port", &port.to_string(), "app:app"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/streams"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
        };
        eventually("uvicorn listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Some(server)
    }

    /// What it counted so far, asked with curl.
    pub fn books(&self) -> Value {
        let told = Command::new("curl")
            .args(["-sS", &format!("{}/books", self.url)])
            .output()
            .unwrap();
        serde_json::from_slice(&told.stdout).unwrap_or_else(|error| panic!("{error}: {told:?}"))
    }
}
