//! A real PostgreSQL.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::free_port;
use super::mariadb::{is_root, own_folder};

pub const PASSWORD: &str = "hunter2-super";

/// A server on a port and a socket of its own, ended with the test.
pub struct Postgres {
    pub process: Child,
    pub port: u16,
    pub folder: tempfile::TempDir,
}

/// The path of a program of PostgreSQL.
pub fn program(name: &str) -> String {
    let versions = (12..30).rev();
    let mut paths = versions.map(|version| format!("/usr/lib/postgresql/{version}/bin/{name}"));
    let found = paths.find(|path| std::path::Path::new(path).exists());
    found.unwrap_or_else(|| panic!("PostgreSQL is not installed: run tools/setup.sh test"))
}

/// A program run by somebody who is not root, for whom the server does not work.
pub fn as_nobody(path: &str) -> Command {
    let mut command = Command::new(path);
    if is_root() {
        command = Command::new("setpriv");
        command.args(["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]);
        command.arg(path);
    }
    command.current_dir("/").stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Postgres {
    /// With the user `app`, who may do anything.
    pub fn start() -> Self {
        let folder = own_folder();
        let home = folder.path().display().to_string();
        std::fs::write(folder.path().join("pw"), PASSWORD).unwrap();
        let made = as_nobody(&program("initdb"))
            .args([
                "-U",
                "app",
                "--auth=scram-sha-256",
                "--locale=C",
                "-E",
                "UTF8",
            ])
            .args([
                format!("--pwfile={home}/pw"),
                "-D".to_owned(),
                format!("{home}/data"),
            ])
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        certificate(&folder);
        let port = free_port();
        let process = run(&folder, port);
        let server = Self {
            process,
            port,
            folder,
        };
        server.wait_until_up();
        server
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// psql over TCP.
    pub fn psql(&self) -> Command {
        let mut command = Command::new(program("psql"));
        command.env("PGPASSWORD", PASSWORD);
        let port = self.port.to_string();
        command.args(["-X", "-h", "127.0.0.1", "-p", &port, "-U", "app"]);
        command.args(["-v", "ON_ERROR_STOP=1", "-At", "postgres"]);
        command
    }

    /// What psql prints.
    pub fn sql(&self, sql: &str) -> String {
        let output = self.psql().args(["-c", sql]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub fn number(&self, sql: &str) -> f64 {
        self.sql(sql).parse().unwrap()
    }

    /// SIGINT is its fast shutdown.
    pub fn stop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-INT", &pid]).status();
        let _ = self.process.wait();
    }

    pub fn wait_until_up(&self) {
        let began = Instant::now();
        loop {
            let asked = self.psql().args(["-c", "select 1"]).output().unwrap();
            if asked.status.success() {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(120), "{asked:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
    }
}

pub fn run(folder: &tempfile::TempDir, port: u16) -> Child {
    let home = folder.path().display();
    let settings = [
        "listen_addresses=127.0.0.1",
        &format!("unix_socket_directories={home}"),
        "shared_preload_libraries=pg_stat_statements",
        "shared_buffers=16MB",
        "max_connections=37",
        "work_mem=64kB",
        "ssl=on",
        &format!("ssl_cert_file={home}/cert"),
        &format!("ssl_key_file={home}/key"),
    ];
    let mut command = as_nobody(&program("postgres"));
    command.args(["-D", &format!("{home}/data"), "-p", &port.to_string()]);
    for setting in settings {
        command.args(["-c", setting]);
    }
    command.spawn().unwrap()
}

fn certificate(folder: &tempfile::TempDir) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = folder.path().join("key");
    std::fs::write(folder.path().join("cert"), made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let mode = Command::new("chmod").arg("600").arg(&key).status();
    assert!(mode.unwrap().success());
    if is_root() {
        let owned = Command::new("chown")
            .arg("nobody:nogroup")
            .arg(&key)
            .status();
        assert!(owned.unwrap().success());
    }
}
