//! nginx' processes on this host: workers, log files, and what `nginx -T` says when that is
//! allowed.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::Found;
use super::config::Config;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::nginx as names;
use crate::proc::pids;

const PERIOD: Duration = Duration::from_secs(5);
/// `nginx -T` takes no longer.
const COMMAND_LIMIT: Duration = Duration::from_secs(3);
/// Nothing of it beyond that is read.
const MAX_BYTES: u64 = 8 << 20;

pub(super) struct Process {
    entity: Arc<Entity>,
    pid: Option<u32>,
    port: Option<u16>,
    may_run: bool,
    found: Rc<RefCell<Found>>,
    /// What was named by the user stays.
    named: (bool, bool, bool),
    master: Option<u32>,
    workers: Vec<u32>,
}

impl Process {
    pub(super) fn new(
        entity: Arc<Entity>,
        pid: Option<u32>,
        port: Option<u16>,
        may_run: bool,
        found: Rc<RefCell<Found>>,
    ) -> Self {
        let named = {
            let found = found.borrow();
            (
                found.error_log.is_some(),
                found.access_log.is_some(),
                found.log_format.is_some(),
            )
        };
        Self {
            entity,
            pid,
            port,
            may_run,
            found,
            named,
            master: None,
            workers: Vec::new(),
        }
    }

    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        if !self.master.is_some_and(is_master) {
            self.master = find_master(self.pid, self.port);
            self.workers.clear();
        }
        let Some(master) = self.master else {
            let message = Message::new("watch-nginx-no-process");
            look.missing(&self.entity, message);
            return Ok(());
        };
        let workers = workers(master);
        #[expect(clippy::cast_precision_loss, reason = "a number of processes")]
        look.value(&self.entity, &names::WORKERS, &[], workers.len() as f64);
        look.fact(&self.entity, "process.pid", master.to_string());
        if workers == self.workers {
            return Ok(());
        }
        // At first, and again after each reload.
        self.open_logs(master);
        if self.may_run {
            self.config(master, look).await;
        } else {
            look.missing(&self.entity, Message::new("watch-nginx-config-not-allowed"));
        }
        self.workers = workers;
        Ok(())
    }

    /// The log files that the master holds open: standard error is the error log.
    fn open_logs(&self, master: u32) {
        let folder = PathBuf::from(format!("/proc/{master}/fd"));
        let mut found = self.found.borrow_mut();
        let target = |entry: &Path| fs::read_link(entry).ok().filter(|path| path.is_file());
        let errors = target(&folder.join("2"));
        if !self.named.1 {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            let mut logs: Vec<_> = entries
                .filter_map(|entry| target(&entry.path()))
                .filter(|path| Some(path) != errors.as_ref())
                .filter(|path| {
                    path.file_name().is_some_and(|name| {
                        let name = name.to_string_lossy();
                        name.contains("log") && !name.contains("err")
                    })
                })
                .collect();
            logs.sort();
            found.access_log = logs.into_iter().next();
        }
        if !self.named.0 {
            found.error_log = errors;
        }
    }

    async fn config(&self, master: u32, look: &mut Look) {
        let ran = tokio::task::spawn_blocking(move || run(master)).await;
        let text = match ran {
            Ok(Ok(text)) => text,
            Ok(Err(reason)) => {
                let message = Message::new("watch-nginx-no-config").with("reason", reason);
                look.missing(&self.entity, message);
                return;
            }
            Err(_) => return,
        };
        let config = Config::parse(&text);
        let mut found = self.found.borrow_mut();
        if let Some((path, format)) = &config.access_log {
            if !self.named.1 {
                found.access_log = Some(path.into());
            }
            if !self.named.2 && found.access_log.as_deref() == Some(Path::new(path)) {
                let known = config.formats.get(format).cloned();
                found.log_format = known.or_else(|| Some(format.clone()));
            }
        }
        if let (false, Some(path)) = (self.named.0, &config.error_log) {
            found.error_log = Some(path.into());
        }
        for (name, value) in config.facts {
            look.fact(&self.entity, format!("nginx.{name}"), value);
        }
    }
}

impl Collector for Process {
    fn about(&self) -> String {
        format!("processes of {}", self.entity)
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}

/// nginx writes what a process is for over its arguments.
fn title(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_master(pid: u32) -> bool {
    title(pid).starts_with("nginx: master process")
}

/// The master that was named, or the only one, or the one that listens at the port.
fn find_master(pid: Option<u32>, port: Option<u16>) -> Option<u32> {
    if let Some(pid) = pid {
        // A worker's pid is as good.
        return [Some(pid), parent(pid)]
            .into_iter()
            .flatten()
            .find(|pid| is_master(*pid));
    }
    let masters: Vec<u32> = pids().into_iter().filter(|pid| is_master(*pid)).collect();
    match (masters.as_slice(), port) {
        ([only], None) => Some(*only),
        (_, Some(port)) => {
            let sockets = listening(port);
            masters.into_iter().find(|pid| holds(*pid, &sockets))
        }
        _ => None,
    }
}

/// Inodes of sockets that listen at a port.
fn listening(port: u16) -> HashSet<String> {
    const LISTEN: &str = "0A";
    let wanted = format!(":{port:04X}");
    let mut sockets = HashSet::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let text = fs::read_to_string(table).unwrap_or_default();
        for line in text.lines() {
            let words: Vec<_> = line.split_ascii_whitespace().collect();
            if let [_, local, _, state, _, _, _, _, _, inode, ..] = words.as_slice()
                && *state == LISTEN
                && local.ends_with(&wanted)
            {
                sockets.insert(format!("socket:[{inode}]"));
            }
        }
    }
    sockets
}

fn holds(pid: u32, sockets: &HashSet<String>) -> bool {
    let entries = fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten();
    entries.flatten().any(|entry| {
        let target = fs::read_link(entry.path());
        target.is_ok_and(|path| sockets.contains(path.to_string_lossy().as_ref()))
    })
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may hold blanks and brackets.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn workers(master: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children"));
    let all: Vec<u32> = match children {
        Ok(text) => text
            .split_ascii_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .collect(),
        Err(_) => pids()
            .into_iter()
            .filter(|pid| parent(*pid) == Some(master))
            .collect(),
    };
    let is_worker = |pid: &u32| title(*pid).starts_with("nginx: worker process");
    let mut workers: Vec<_> = all.into_iter().filter(is_worker).collect();
    workers.sort_unstable();
    workers
}

/// `nginx -T` as the master was started: its own program, its own configuration and prefix.
fn run(master: u32) -> Result<String, String> {
    let title = title(master);
    let words: Vec<_> = title
        .trim_start_matches("nginx: master process ")
        .split([' ', '\0'])
        .filter(|word| !word.is_empty())
        .collect();
    let mut command = Command::new(format!("/proc/{master}/exe"));
    command.arg("-T");
    for pair in words.windows(2) {
        if let [option @ ("-c" | "-p" | "-g"), value] = pair {
            // A -g of several words cannot be told from what follows.
            if *option != "-g" {
                command.args([option, value]);
            }
        }
    }
    let cwd = fs::read_link(format!("/proc/{master}/cwd")).unwrap_or_else(|_| "/".into());
    command
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let child = command.stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| error.to_string())?;
    let Some(mut output) = child.stdout.take() else {
        return Err("no output".to_owned());
    };
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = (&mut output).take(MAX_BYTES).read_to_end(&mut bytes);
        read.map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let began = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if began.elapsed() < COMMAND_LIMIT => {
                std::thread::sleep(Duration::from_millis(10));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("nginx -T takes too long".to_owned());
            }
        }
    };
    let text = reader
        .join()
        .map_err(|_| "nginx -T cannot be read".to_owned())?;
    match status.success() {
        true => text.map_err(|error| error.to_string()),
        false => Err(format!("nginx -T failed: {status}")),
    }
}
