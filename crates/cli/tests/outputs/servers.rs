//! Real receivers, asked with curl.

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::support::eventually;
use super::support::nginx::free_port;

/// A receiver, and what it keeps.
pub struct Database {
    child: Child,
    pub url: String,
    _folder: TempDir,
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Database {
    /// Starts a program with the options that its folder and port give; none where the system has no
    /// such package.
    fn start(program: &str, options: impl FnOnce(&TempDir, u16) -> Vec<String>) -> Option<Self> {
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let child = Command::new(program)
            .args(options(&folder, port))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = child else {
            eprintln!("{program} is not installed: left out");
            return None;
        };
        let server = Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
            _folder: folder,
        };
        eventually(&format!("{program} listens"), || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Some(server)
    }

    /// InfluxDB of version 1 with a database.
    pub fn influxdb() -> Option<Self> {
        let server = Self::start("influxd", |folder, port| {
            let at = |name: &str| folder.path().join(name).display().to_string();
            let config = format!(
                "reporting-disabled = true\nbind-address = \"127.0.0.1:{}\"\n\
                 [meta]\ndir = {:?}\n[data]\ndir = {:?}\nwal-dir = {:?}\n\
                 [monitor]\nstore-enabled = false\n[http]\nbind-address = \"127.0.0.1:{port}\"\n",
                free_port(),
                at("meta"),
                at("data"),
                at("wal"),
            );
            std::fs::write(at("influxdb.conf"), config).unwrap();
            vec!["run".to_owned(), "-config".to_owned(), at("influxdb.conf")]
        })?;
        server.influxql("CREATE DATABASE load");
        Some(server)
    }

    /// Prometheus that takes remote write, with native histograms or without.
    pub fn prometheus(native: bool) -> Option<Self> {
        let server = Self::start("prometheus", |folder, port| {
            let at = |name: &str| folder.path().join(name).display().to_string();
            std::fs::write(at("prometheus.yml"), "global: {}\n").unwrap();
            let mut options = vec![
                format!("--config.file={}", at("prometheus.yml")),
                format!("--storage.tsdb.path={}", at("data")),
                format!("--web.listen-address=127.0.0.1:{port}"),
                "--web.enable-remote-write-receiver".to_owned(),
            ];
            options.extend(native.then(|| "--enable-feature=native-histograms".to_owned()));
            options
        })?;
        eventually("Prometheus is ready", || {
            let told = Command::new("curl")
                .args(["-sf", &format!("{}/-/ready", server.url)])
                .output();
            told.unwrap().status.success()
        });
        Some(server)
    }

    /// `VictoriaMetrics`, which shows what it has at once.
    pub fn victoria_metrics() -> Option<Self> {
        Self::start("victoria-metrics", |folder, port| {
            vec![
                format!("-storageDataPath={}", folder.path().display()),
                format!("-httpListenAddr=127.0.0.1:{port}"),
                "-search.latencyOffset=0s".to_owned(),
            ]
        })
    }

    /// What it responds to a query, asked by another program.
    fn ask(&self, path: &str, query: &str) -> Value {
        let told = Command::new("curl")
            .args(["-sS", "-XPOST", &format!("{}{path}", self.url)])
            .args(["--data-urlencode", query])
            .output()
            .unwrap();
        serde_json::from_slice(&told.stdout).unwrap_or_else(|error| panic!("{error}: {told:?}"))
    }

    fn influxql(&self, query: &str) -> Value {
        self.ask("/query?db=load", &format!("q={query}"))
    }

    /// The one number of a query in InfluxQL.
    pub fn influx_number(&self, query: &str) -> u64 {
        let response = self.influxql(query);
        let value = &response["results"][0]["series"][0]["values"][0][1];
        value
            .as_u64()
            .unwrap_or_else(|| panic!("{query}: {response}"))
    }

    /// The one number of a query in `PromQL`; none while there is none.
    pub fn prom_number(&self, query: &str) -> Option<f64> {
        let response = self.ask("/api/v1/query", &format!("query={query}"));
        let result = response["data"]["result"].as_array();
        let result = result.unwrap_or_else(|| panic!("{query}: {response}"));
        assert!(result.len() <= 1, "{query}: {response}");
        result.first()?["value"][1].as_str()?.parse().ok()
    }

    /// Waits until a query in `PromQL` gives a number.
    pub fn prom_gives(&self, query: &str, wanted: u64) {
        #[expect(clippy::cast_precision_loss, reason = "counts of a test")]
        let wanted = wanted as f64;
        let mut last = None;
        eventually(&format!("{query} gives {wanted}"), || {
            last = self.prom_number(query);
            last == Some(wanted)
        });
    }
}
