//! Runs of the binary under a limit of time, and servers that behave as a test wants.

// Each test binary uses a part of it.
#![allow(dead_code)]

pub mod http;
pub mod nginx;
pub mod raw;
pub mod tls;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Longest that any run here may take. Far more than any needs on a busy machine: it only
/// tells a hang from a slow machine.
const LONGEST_WAIT: Duration = Duration::from_secs(90);

/// A folder with plans and runs, and calls of the binary in it.
pub struct Bench {
    pub dir: Arc<TempDir>,
}

/// A process that the test looks after: it does not outlive its time.
pub struct Process {
    child: Child,
    out: JoinHandle<String>,
    err: JoinHandle<String>,
    dir: Arc<TempDir>,
    started: Instant,
}

/// What became of a run.
#[derive(Debug)]
pub struct Told {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
    dir: Arc<TempDir>,
}

impl Bench {
    pub fn new() -> Self {
        Self {
            dir: Arc::new(tempfile::tempdir().unwrap()),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A command of the binary in this folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.args(args);
        self.prepared(command)
    }

    fn prepared(&self, mut command: Command) -> Command {
        command
            .current_dir(self.dir.path())
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1")
            .env("RUST_BACKTRACE", "0")
            .env("XDG_STATE_HOME", self.dir.path().join("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Calls the binary to its end.
    pub fn call(&self, args: &[&str]) -> Told {
        self.start(self.command(args)).end()
    }

    /// Calls it by a shell, for limits that only a shell sets: `$PLIMSOLL` is the binary.
    pub fn shell(&self, script: &str) -> Told {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .env("PLIMSOLL", env!("CARGO_BIN_EXE_plimsoll"));
        self.start(self.prepared(command)).end()
    }

    pub fn start(&self, mut command: Command) -> Process {
        let mut child = command.spawn().unwrap();
        Process {
            out: drain(child.stdout.take().unwrap()),
            err: drain(child.stderr.take().unwrap()),
            child,
            dir: Arc::clone(&self.dir),
            started: Instant::now(),
        }
    }

    /// Starts `run` of a plan with a summary.
    pub fn start_plan(&self, plan: &str, args: &[&str]) -> Process {
        self.write("plan.yaml", plan);
        let all = [
            &[
                "run",
                "plan.yaml",
                "--quiet",
                "--summary-json",
                "summary.json",
            ],
            args,
        ]
        .concat();
        self.start(self.command(&all))
    }

    /// Runs a plan to its end.
    pub fn plan(&self, plan: &str, args: &[&str]) -> Told {
        self.start_plan(plan, args).end()
    }

    /// Runs a plan of this target with one user.
    pub fn steps(&self, target: &str, steps: &str) -> Told {
        self.plan(
            &format!("target: {target}\nusers: 1\niterations: 1\nsteps:\n{steps}"),
            &[],
        )
    }
}

fn drain(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error still counts.
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

impl Process {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, as `kill -INT` does.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args(["-s", name, &self.id().to_string()])
            .status();
        assert!(status.unwrap().success());
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for the end; a process that does not come to one is ended, and the test fails.
    pub fn end(mut self) -> Told {
        let status = self.wait();
        let (out, err) = (self.out.join().unwrap(), self.err.join().unwrap());
        let Some(status) = status else {
            panic!("still running after {LONGEST_WAIT:?}\n--- out\n{out}\n--- err\n{err}");
        };
        assert!(!err.contains("panicked at"), "{err}");
        Told {
            code: status.code(),
            out,
            err,
            dir: self.dir,
        }
    }

    fn wait(&mut self) -> Option<ExitStatus> {
        while self.started.elapsed() < LONGEST_WAIT {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        None
    }
}

impl Told {
    /// The summary that the run wrote.
    pub fn summary(&self) -> Value {
        let text = fs::read_to_string(self.dir.path().join("summary.json"))
            .unwrap_or_else(|error| panic!("no summary: {error}\n{self:?}"));
        serde_json::from_str(&text).unwrap()
    }

    /// The exit code is this one, or 4 in its place: a busy machine may limit the generator.
    /// The summary says the same as the exit code.
    pub fn assert_code(&self, code: i32) -> &Self {
        let told = self.code.unwrap_or(-1);
        let limited = told == 4 && matches!(code, 0 | 1 | 6);
        assert!(
            told == code || limited,
            "exit code {told}, not {code}: {self:?}"
        );
        assert_eq!(self.summary()["exit_code"], told, "{self:?}");
        self
    }

    /// As [`assert_code`](Self::assert_code) where the process says more than the run's summary:
    /// something could not be kept.
    pub fn assert_kept(&self, code: i32, of_run: i32) -> &Self {
        let told = (self.code, self.summary()["exit_code"].as_i64());
        let busy = told == (Some(4), Some(4));
        assert!(
            busy || told == (Some(code), Some(i64::from(of_run))),
            "{told:?}: {self:?}"
        );
        self
    }

    /// A count of the summary's total.
    pub fn total(&self, name: &str) -> u64 {
        count(&self.summary()["total"], name)
    }

    /// The samples with errors of a kind.
    pub fn errors(&self, kind: &str) -> u64 {
        self.summary()["errors_by_kind"][kind].as_u64().unwrap_or(0)
    }

    /// All errors are of this kind, and there are some.
    pub fn assert_all_errors_are(&self, kind: &str) -> &Self {
        let (all, these) = (self.total("errors"), self.errors(kind));
        assert!(
            all > 0 && all == these,
            "{kind}: {}\n{self:?}",
            self.summary()["errors_by_kind"]
        );
        self
    }

    /// All samples are successes, and there are so many.
    pub fn assert_all_ok(&self, samples: u64) -> &Self {
        let summary = self.summary();
        let labels = summary["labels"].as_array().unwrap();
        let failed = labels.iter().filter(|label| label["errors"] != 0);
        let failed: Vec<_> = failed
            .map(|label| {
                (
                    &label["label"],
                    &label["errors_by_kind"],
                    &label["status_codes"],
                )
            })
            .collect();
        assert_eq!(self.total("errors"), 0, "{failed:?} {self:?}");
        assert_eq!(self.total("samples"), samples, "{self:?}");
        self
    }

    /// A label of the summary.
    pub fn label(&self, name: &str) -> Value {
        let summary = self.summary();
        let labels = summary["labels"].as_array().unwrap();
        let found = labels.iter().find(|label| label["label"] == name);
        found
            .cloned()
            .unwrap_or_else(|| panic!("no label {name}: {labels:?}"))
    }

    /// The folders of the runs.
    pub fn runs(&self) -> Vec<PathBuf> {
        runs_in(self.dir.path())
    }

    /// `plimsoll show` reads the run.
    pub fn assert_readable(&self) -> &Self {
        let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["show", "last"])
            .current_dir(self.dir.path())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "show: {:?} {err}", output.status);
        assert!(!output.stdout.is_empty());
        self
    }
}

pub fn count(of: &Value, name: &str) -> u64 {
    of[name]
        .as_u64()
        .unwrap_or_else(|| panic!("no {name} in {of}"))
}

pub fn runs_in(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir.join("plimsoll-runs")) else {
        return Vec::new();
    };
    let mut runs: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("run.sqlite").exists())
        .collect();
    runs.sort();
    runs
}

/// Waits until something holds; fails when it never does.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LONGEST_WAIT, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
