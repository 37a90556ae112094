//! A real MariaDB.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{free_port, program};

/// A server on a port and a socket of its own, ended with the test.
pub struct MariaDb {
    pub process: Child,
    pub port: u16,
    pub folder: tempfile::TempDir,
}

impl MariaDb {
    pub fn start() -> Self {
        let folder = own_folder();
        let data = folder.path().join("data").display().to_string();
        let made = as_nobody("mariadb-install-db")
            .args([
                "--no-defaults",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ])
            .arg(format!("--datadir={data}"))
            // A server that starts removes the temporary tables of all others in the same folder.
            .arg(format!("--tmpdir={}", folder.path().display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let port = free_port();
        let process = run(&folder, port);
        Self {
            process,
            port,
            folder,
        }
    }

    pub fn socket(&self) -> String {
        self.folder.path().join("s").display().to_string()
    }

    /// What a client program prints, as root over the socket.
    pub fn client(&self, name: &str, arguments: &[&str]) -> String {
        let output = Command::new(program(name))
            .args(["--no-defaults", "-uroot", "-S", &self.socket()])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn sql(&self, sql: &str) -> String {
        self.client("mysql", &["-N", "-B", "-e", sql])
    }

    pub fn stop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }

    pub fn wait_until_up(&self) {
        let began = Instant::now();
        loop {
            let ping = Command::new(program("mysqladmin"))
                .args(["--no-defaults", "-uroot", "-S", &self.socket(), "ping"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            if ping.unwrap().success() {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(120), "not up");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        self.stop();
    }
}

pub fn run(folder: &tempfile::TempDir, port: u16) -> Child {
    let home = folder.path().display();
    as_nobody("mariadbd")
        .arg("--no-defaults")
        .arg(format!("--datadir={home}/data"))
        .arg(format!("--tmpdir={home}"))
        .arg(format!("--socket={home}/s"))
        .arg(format!("--port={port}"))
        .args([
            "--bind-address=127.0.0.1",
            "--innodb-buffer-pool-size=32M",
            "--performance-schema=ON",
            "--performance-schema-consumer-events-statements-current=ON",
            "--performance-schema-consumer-events-statements-history=ON",
            "--performance-schema-consumer-events-statements-history-long=ON",
        ])
        .spawn()
        .unwrap()
}

pub fn is_root() -> bool {
    Command::new("id").arg("-u").output().unwrap().stdout == b"0\n"
}

/// A program run by somebody who is not root, for whom MariaDB does not work.
pub fn as_nobody(name: &str) -> Command {
    let mut command = Command::new(program(name));
    if is_root() {
        command = Command::new("setpriv");
        command.args(["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]);
        command.arg(program(name));
    }
    command.current_dir("/").stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub fn own_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    if is_root() {
        let owned = Command::new("chown")
            .arg("nobody:nogroup")
            .arg(folder.path())
            .status();
        assert!(owned.unwrap().success());
    }
    folder
}
