//! Programs for tests of thread states, and captures of them.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::{Level, Look, Moment, Spec};
use serde_json::Value;
use tempfile::TempDir;

/// A program that was started and has said `ready`; it ends with the test.
pub struct Program {
    pub child: Child,
    /// What was said after `ready` on its line.
    pub said: String,
    folder: Option<TempDir>,
}

impl Program {
    pub fn python(text: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new("python3");
        command.args(["-c", text]).args(arguments);
        Self::start(command)
    }

    pub fn start(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.find_map(|line| {
            let line = line.unwrap();
            line.strip_prefix("ready")
                .map(|rest| rest.trim().to_owned())
        });
        // Whatever it says later is read, so that it is never held up.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            said: ready.expect("the program did not start"),
            folder: None,
        }
    }

    /// One that says nothing.
    pub fn quiet(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self {
            child: command.spawn().unwrap(),
            said: String::new(),
            folder: None,
        }
    }

    /// A program in C.
    pub fn c(text: &str, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (source, program) = (
            folder.path().join("program.c"),
            folder.path().join("program"),
        );
        std::fs::write(&source, text).unwrap();
        let mut compile = Command::new("cc");
        compile
            .args(["-O1", "-w", "-pthread"])
            .arg(&source)
            .arg("-o")
            .arg(&program);
        assert!(compile.status().unwrap().success());
        let mut command = Command::new(&program);
        command.args(arguments);
        let mut started = Self::start(command);
        started.folder = Some(folder);
        started
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // A master takes its workers along.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(3) {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A capture.
pub struct Taken {
    pub value: Value,
    pub entity: String,
}

impl Taken {
    /// Of the process and its workers.
    pub fn of(program: &Program) -> Self {
        Self::of_process(&format!("pid:{}", program.child.id()))
    }

    pub fn of_process(address: &str) -> Self {
        Self::try_of(address).expect("nothing was taken")
    }

    /// None: there was nothing to take.
    pub fn try_of(address: &str) -> Option<Self> {
        let mut spec = Spec::parse(&format!("process={address}")).unwrap();
        spec.level = Level::Observe;
        let mut opened = spec.open().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut look = Look::at(1);
            opened.collectors[0].collect(&mut look).await.unwrap();
            let mut captures = opened.captures.iter_mut();
            let capture = captures.find(|capture| capture.kind() == "thread_states");
            let capture = capture.unwrap();
            assert_eq!(capture.level(), Level::Observe);
            let artifacts = capture.take(Moment::Steady.into()).await.unwrap();
            let artifact = artifacts.into_iter().next()?;
            let value: Value = serde_json::from_slice(&artifact.bytes).unwrap();
            if std::env::var_os("SHOW").is_some() {
                println!("{value:#}");
            }
            Some(Self {
                value,
                entity: artifact.entity.name.clone(),
            })
        })
    }

    pub fn text(&self) -> String {
        format!("{:#}", self.value)
    }

    pub fn class(&self, name: &str) -> &Value {
        let mut classes = self.value["classes"].as_array().unwrap().iter();
        let found = classes.find(|class| class["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {}", self.text()))
    }

    pub fn of_class(&self, name: &str, kind: &str) -> f64 {
        self.class(name)[kind].as_f64().unwrap()
    }

    /// The number of a whole.
    pub fn number(&self, name: &str) -> f64 {
        self.value[name].as_f64().unwrap()
    }

    pub fn denied(&self) -> &Vec<Value> {
        self.value["denied"].as_array().unwrap()
    }

    pub fn loops(&self) -> &Vec<Value> {
        self.value["event_loops"].as_array().unwrap()
    }

    /// All numbers of each class sum to its threads, and those of all classes to the whole.
    pub fn sums(&self) {
        let mut running = 0.0;
        for class in self.value["classes"].as_array().unwrap() {
            let kinds = class.as_object().unwrap().iter();
            let kinds = kinds.filter(|(name, _)| *name != "threads");
            let sum: f64 = kinds.filter_map(|(_, value)| value.as_f64()).sum();
            let read = class["read"].as_array().unwrap().iter();
            let read: f64 = read.map(|read| read["number"].as_f64().unwrap()).sum();
            let threads = class["threads"].as_f64().unwrap();
            assert!(
                (sum + read - threads).abs() < 0.01 * threads.max(1.0),
                "{class:#}"
            );
            running += class["running"].as_f64().unwrap();
        }
        if self.value["threads"] == self.value["threads_looked_at"] {
            assert!(
                (running - self.number("running")).abs() < 0.01,
                "{}",
                self.text()
            );
        }
    }
}

/// That a class has about so many threads in a kind of wait.
pub fn near(taken: &Taken, class: &str, kind: &str, expected: f64, within: f64) {
    let found = taken.of_class(class, kind);
    let text = taken.class(class);
    assert!(
        (found - expected).abs() <= within,
        "{class} {kind} {expected}: {text:#}"
    );
}
