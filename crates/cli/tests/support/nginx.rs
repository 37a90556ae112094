//! An nginx of the test's own, which counts requests.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::eventually;

pub struct Nginx {
    child: Child,
    port: u16,
    dir: TempDir,
}

impl Nginx {
    /// Starts one; none where nginx is not installed. In CI it must be.
    pub fn start() -> Option<Self> {
        Self::start_with(|_| String::new())
    }

    /// Starts one with more servers, whose configuration is made for its folder.
    pub fn start_with(servers: impl Fn(&Path) -> String) -> Option<Self> {
        let binary = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"];
        let Some(binary) = binary
            .into_iter()
            .find(|path| std::path::Path::new(path).exists())
        else {
            assert!(std::env::var_os("CI").is_none(), "CI must have nginx");
            eprintln!("skipped: nginx is not installed (tools/setup.sh)");
            return None;
        };
        let dir = tempfile::tempdir().unwrap();
        let (port, servers) = (free_port(), servers(dir.path()));
        let path = dir.path().display();
        let temp: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {path}/{name};\n"))
            .concat();
        let conf = format!(
            "daemon off; worker_processes 1; pid {path}/pid; error_log {path}/error.log;\n\
             events {{ worker_connections 1024; }}\n\
             http {{ access_log off; keepalive_requests 100000000;\n{temp}\
             server {{ listen 127.0.0.1:{port} backlog=4096;\n\
             location / {{ return 200 \"hello\"; }}\n\
             location = /count {{ stub_status; }} }}\n{servers} }}\n"
        );
        std::fs::write(dir.path().join("nginx.conf"), conf).unwrap();
        let child = Command::new(binary)
            .args([
                "-p",
                &path.to_string(),
                "-c",
                "nginx.conf",
                "-e",
                &format!("{path}/error.log"),
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let nginx = Self { child, port, dir };
        eventually("nginx listens", || {
            TcpStream::connect(("127.0.0.1", nginx.port)).is_ok()
        });
        Some(nginx)
    }

    /// Its folder.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Requests so far, this one included.
    fn count(&self) -> u64 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(b"GET /count HTTP/1.0\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let counts = text
            .lines()
            .skip_while(|line| !line.starts_with("server accepts"))
            .nth(1);
        counts
            .unwrap()
            .split_whitespace()
            .nth(2)
            .unwrap()
            .parse()
            .unwrap()
    }

    /// Requests that nginx counts while something runs.
    pub fn counted<T>(&self, run: impl FnOnce() -> T) -> (T, u64) {
        let before = self.count();
        let result = run();
        // What the client wrote just before it ended may still be on its way.
        std::thread::sleep(std::time::Duration::from_millis(300));
        (result, self.count() - before - 1)
    }
}

/// A port that nobody listens on now.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM: the master ends its workers.
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}
