//! A folder with a service, a study of it, and calls of the binary in it.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::assert_valid;

/// The settings as they were before any study, with what editors of files like to lose.
pub const SETTINGS: &str = "# settings of the service\r\nworkers = 1\r\nname=\u{540d}\u{5b57}\r\npassword=hunter2hunter2\r\n\r\nlast=1";

/// A world of one test.
pub struct World {
    pub dir: TempDir,
    pub port: u16,
}

/// What a file is, byte for byte.
#[derive(Debug, PartialEq, Eq)]
pub struct FileState {
    content: Vec<u8>,
    mode: u32,
    owner: (u32, u32),
    changed_ns: (i64, i64),
}

/// A study of the service on a port, with its components.
pub fn study_text(port: u16, components: &str, more: &str) -> String {
    format!(
        "plan: http://127.0.0.1:{port}/work
users: 8
measure: 1s
warm-up: 1s
components:
{components}{more}"
    )
}

impl World {
    pub fn free_port() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    }

    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let port = Self::free_port();
        fs::write(dir.path().join("service.py"), include_str!("service.py")).unwrap();
        fs::create_dir(dir.path().join("conf")).unwrap();
        fs::write(dir.path().join("conf/service.properties"), SETTINGS).unwrap();
        Self { dir, port }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn settings(&self) -> PathBuf {
        self.path("conf/service.properties")
    }

    /// The service is found with so many workers.
    pub fn found_with(self, workers: u32) -> Self {
        let settings = SETTINGS.replace("workers = 1", &format!("workers = {workers}"));
        fs::write(self.settings(), settings).unwrap();
        self
    }

    /// Puts something else for a part of the study.
    pub fn edit_study(&self, part: &str, other: &str) {
        let path = self.path("study.yaml");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(part), "{part}: {text}");
        fs::write(path, text.replace(part, other)).unwrap();
    }

    /// Writes a study of the service; `more` goes behind the component.
    pub fn study(&self, more: &str) {
        let port = self.port;
        self.study_of(
            &format!(
                "  service:
    start: python3 -u service.py --port {port} --file conf/service.properties
    ready: http://127.0.0.1:{port}/settings
    ready-within: 30s
    stop-within: 500ms
"
            ),
            more,
        );
    }

    /// Writes a study of components.
    pub fn study_of(&self, components: &str, more: &str) {
        let text = study_text(self.port, components, more);
        fs::write(self.path("study.yaml"), text).unwrap();
    }

    /// The knob `workers` of the file, with values, read back from the service.
    pub fn workers(&self, values: &str) -> String {
        format!(
            "  workers:
    file: conf/service.properties
    key: workers
    {values}
    read-back:
      http: http://127.0.0.1:{}/settings
      pointer: /workers
",
            self.port
        )
    }

    fn command(&self, arguments: &[&str]) -> Command {
        Self::command_in(self.dir.path(), arguments)
    }

    pub fn command_in(folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command
            .args(arguments)
            .current_dir(folder)
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn call(&self, arguments: &[&str]) -> Told {
        Told::of(self.command(arguments).output().unwrap())
    }

    /// Calls it for a study that comes to its end; what it told, and its result.
    pub fn tuned(&self, more: &[&str]) -> (Told, Value) {
        self.tuned_with(0, more)
    }

    /// The same of one that ends with a code.
    pub fn tuned_with(&self, code: i32, more: &[&str]) -> (Told, Value) {
        let told = self.call(&[&["tune", "study.yaml"], more].concat());
        told.assert_code(code);
        let result = self.result();
        assert_valid(&result);
        (told, result)
    }

    /// A call whose standard input says something.
    pub fn call_with(&self, arguments: &[&str], input: &str) -> Told {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // One that has heard enough need not hear the rest.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Told::of(child.wait_with_output().unwrap())
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// Waits until a study has made so many trials, interrupts it, and waits for its end.
    pub fn interrupted(&self, mut study: Child, trials: usize) -> Told {
        let journal = self.path("plimsoll-runs/.tune/study/journal.jsonl");
        let made = || {
            let text = fs::read_to_string(&journal).unwrap_or_default();
            text.matches("\"what\":\"trial\"").count()
        };
        while made() < trials && study.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        signal(study.id(), "INT");
        Told::of(study.wait_with_output().unwrap())
    }

    pub fn shell(&self, script: &str) -> Told {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .current_dir(self.dir.path())
            .env("PLIMSOLL", env!("CARGO_BIN_EXE_plimsoll"))
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null());
        Told::of(command.output().unwrap())
    }

    pub fn result(&self) -> Value {
        let text = fs::read_to_string(self.path("plimsoll-runs/tune.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    pub fn state(&self) -> FileState {
        let path = self.settings();
        let meta = fs::metadata(&path).unwrap();
        FileState {
            content: fs::read(&path).unwrap(),
            mode: meta.mode(),
            owner: (meta.uid(), meta.gid()),
            changed_ns: (meta.mtime(), meta.mtime_nsec()),
        }
    }

    /// Nothing lies beside the settings, and nothing of the service is left.
    pub fn assert_clean(&self, what: &str) {
        let entries = fs::read_dir(self.path("conf")).unwrap();
        let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["service.properties"], "{what}");
        assert_eq!(self.processes(), Vec::<i32>::new(), "{what}");
    }

    /// The processes of the service that are not at their end.
    pub fn processes(&self) -> Vec<i32> {
        processes_with(&["service.py", &self.port.to_string()])
    }
}

/// Sends a process a signal by its name.
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &pid.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// The processes whose command lines have all these words.
pub fn processes_with(wanted: &[&str]) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let has_all = |pid: &i32| {
        let line = fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline"));
        let line = line.unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        wanted.iter().all(|word| words.contains(&word.as_bytes()))
    };
    pids.filter(has_all).collect()
}

impl Drop for World {
    /// A test that failed leaves no service behind.
    fn drop(&mut self) {
        for pid in self.processes() {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

/// What a call told.
#[derive(Debug)]
pub struct Told {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Told {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self
    }
}
