//! Real nats-servers on loopback ports, ended by process id.

// Each test binary uses a part of it.
#![allow(dead_code, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_fleet::link::nats::{NatsLink, NatsOptions, Secret};
use serde_json::Value;
use tempfile::TempDir;

/// Far more than anything here needs on a busy machine: it only tells a hang from slowness.
pub const LONGEST_WAIT: Duration = Duration::from_secs(90);

/// The nats-servers to test with: the system's, which may be old, and the newest if it was built
/// (`tools/nats-server.sh`).
pub fn binaries() -> Vec<PathBuf> {
    let system = [
        "/usr/sbin/nats-server",
        "/usr/bin/nats-server",
        "/usr/local/bin/nats-server",
    ];
    let mut found: Vec<PathBuf> = system
        .iter()
        .map(PathBuf::from)
        .filter(|path| path.exists())
        .take(1)
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = fs::read_dir(root.join("target/tools"));
    let newest = built
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("nats-server-"))
        });
    if newest.is_none() {
        eprintln!(
            "there is no Go, or tools/nats-server.sh was not run: only the system's nats-server is tested"
        );
    }
    found.extend(newest);
    assert!(!found.is_empty(), "no nats-server: run tools/setup.sh test");
    found
}

/// One nats-server; it ends with this.
pub struct Server {
    child: Child,
    binary: PathBuf,
    folder: TempDir,
    pub port: u16,
    monitor: u16,
}

impl Server {
    /// A server with JetStream.
    pub fn start(binary: &Path) -> Self {
        Self::with(binary, "")
    }

    /// A server with JetStream and more in its configuration; `FOLDER` there is its folder.
    pub fn with(binary: &Path, more: &str) -> Self {
        Self::configured(
            binary,
            &format!("jetstream {{ store_dir: \"FOLDER/store\" }}\n{more}"),
        )
    }

    /// A server without JetStream unless the configuration has it. Ports may be taken by others
    /// between their choice and their use: then others are chosen.
    pub fn configured(binary: &Path, configuration: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for attempt in 0.. {
            let [port, monitor] = free_ports();
            let mut text = format!(
                "server_name: server{port}\nlisten: \"127.0.0.1:{port}\"\nhttp: \"127.0.0.1:{monitor}\"\n"
            );
            text += &configuration.replace("FOLDER", folder.path().to_str().unwrap());
            fs::write(folder.path().join("server.conf"), text).unwrap();
            let child = spawn(binary, folder.path());
            let mut server = Self {
                child,
                binary: binary.to_owned(),
                folder: tempfile::tempdir().unwrap(),
                port,
                monitor,
            };
            if server.listens() {
                server.folder = folder;
                return server;
            }
            assert!(attempt < 5, "{}: {}", binary.display(), log(folder.path()));
        }
        unreachable!()
    }

    pub fn name(&self) -> String {
        format!("server{}", self.port)
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, as a crash does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end.
    pub fn stop(&mut self) {
        signal(self.pid(), libc::SIGTERM);
        self.child.wait().unwrap();
    }

    /// Starts it again, on the same port with the same data.
    pub fn again(&mut self) {
        self.child = spawn(&self.binary, self.folder.path());
        assert!(self.listens(), "{}", log(self.folder.path()));
    }

    /// Whether it came to say what it is; false if it ended.
    fn listens(&mut self) -> bool {
        let begun = Instant::now();
        loop {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
                let mut first = [0; 4];
                if stream.read_exact(&mut first).is_ok() && &first == b"INFO" {
                    return true;
                }
            }
            assert!(begun.elapsed() < LONGEST_WAIT, "a server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A page of the server's own monitoring.
    pub fn monitored(&self, page: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.monitor)).ok()?;
        write!(stream, "GET /{page} HTTP/1.0\r\n\r\n").ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        serde_json::from_str(response.split_once("\r\n\r\n")?.1).ok()
    }

    pub fn log(&self) -> String {
        log(self.folder.path())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Three servers that keep copies of each other's streams.
pub struct Cluster {
    pub servers: Vec<Server>,
}

impl Cluster {
    pub fn start(binary: &Path) -> Self {
        let routes: [u16; 3] = free_ports();
        let mut all = String::new();
        for route in &routes {
            let _ = write!(all, "\"nats-route://127.0.0.1:{route}\", ");
        }
        let servers = routes
            .iter()
            .map(|route| {
                let cluster = format!(
                    "cluster {{ name: c, listen: \"127.0.0.1:{route}\", routes: [{all}] }}\n"
                );
                Server::with(binary, &cluster)
            })
            .collect();
        let cluster = Self { servers };
        wait_for("the cluster has a leader that knows two others", || {
            cluster.servers.iter().any(|server| {
                let told = server.monitored("jsz").unwrap_or_default();
                let others = told["meta_cluster"]["replicas"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                others.len() == 2 && others.iter().all(|other| other["current"] == true)
            })
        });
        cluster
    }

    pub fn urls(&self) -> Vec<String> {
        self.servers.iter().map(Server::url).collect()
    }

    /// Which server leads the stream whose name begins so.
    pub fn leader_of(&self, stream: &str) -> Option<usize> {
        for server in &self.servers {
            let told = server
                .monitored("jsz?accounts=true&streams=true")
                .unwrap_or_default();
            for account in told["account_details"].as_array().into_iter().flatten() {
                for detail in account["stream_detail"].as_array().into_iter().flatten() {
                    let name = detail["name"].as_str().unwrap_or_default();
                    if name.starts_with(stream)
                        && let Some(leader) = detail["cluster"]["leader"].as_str()
                    {
                        return self
                            .servers
                            .iter()
                            .position(|server| server.name() == leader);
                    }
                }
            }
        }
        None
    }

    /// Which server the client of that name is connected to.
    pub fn server_of(&self, client: &str) -> Option<usize> {
        let has = |server: &Server| {
            let told = server.monitored("connz").unwrap_or_default();
            let mut all = told["connections"].as_array().into_iter().flatten();
            all.any(|connection| connection["name"] == client)
        };
        self.servers.iter().position(has)
    }
}

/// A link to servers without credentials.
pub async fn link(urls: &[String]) -> NatsLink {
    NatsLink::connect(&options(urls)).await.unwrap()
}

pub fn options(urls: &[String]) -> NatsOptions {
    NatsOptions {
        servers: urls.iter().map(Secret::new).collect(),
        ..NatsOptions::default()
    }
}

/// Waits until it holds.
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LONGEST_WAIT, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A port that nobody listens on at this moment.
pub fn free_port() -> u16 {
    let [port] = free_ports();
    port
}

/// Several, each another.
pub fn free_ports<const N: usize>() -> [u16; N] {
    // All are held before the first is let go.
    let held = [(); N].map(|()| TcpListener::bind(("127.0.0.1", 0)).unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}

pub fn signal(pid: u32, signal: i32) {
    // SAFETY: kill takes plain numbers; the process is a child that was not waited for.
    assert_eq!(unsafe { libc::kill(pid.cast_signed(), signal) }, 0);
}

fn spawn(binary: &Path, folder: &Path) -> Child {
    let log = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("log"))
        .unwrap();
    let mut command = Command::new(binary);
    command
        .arg("-c")
        .arg(folder.join("server.conf"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    // SAFETY: prctl with these numbers only marks the new process to end with the test's.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    command.spawn().unwrap()
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}
