//! nginx' processes on this host: workers, log files, and their configuration when that is
//! allowed. Who is called nginx need not be one: nothing of it is run, and its files are read
//! with no more rights than it has.

use std::cell::RefCell;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::config::{self, NginxConfigPlace};
use super::found::NginxFound;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::nginx as names;
use crate::proc::descriptors::Descriptors;
use crate::proc::find::{listening_at, stat_of};
use crate::proc::log_file::LogFile;
use crate::proc::root::{Root, open_named};
use crate::proc::{Pid, pids};
use crate::sockets::NetSpace;

const PERIOD: Duration = Duration::from_secs(5);
/// A title is no longer.
const MAX_TITLE: u64 = 64 << 10;
/// Nothing of a program beyond that is read.
const MAX_PROGRAM: u64 = 64 << 20;
/// Open files of a master that may be its access log.
const MAX_LOGS: usize = 64;

pub(super) struct NginxProcess {
    entity: Arc<Entity>,
    pid: Option<u32>,
    port: Option<u16>,
    may_read: bool,
    found: Rc<RefCell<NginxFound>>,
    /// What was named by the user stays.
    named: (bool, bool, bool),
    master: Option<u32>,
    workers: Vec<u32>,
}

impl NginxProcess {
    pub(super) fn new(
        entity: Arc<Entity>,
        pid: Option<u32>,
        port: Option<u16>,
        may_read: bool,
        found: Rc<RefCell<NginxFound>>,
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
            may_read,
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
        match Root::of(master) {
            Ok(root) if is_master(master) => {
                self.open_logs(master, &root);
                if self.may_read {
                    self.config(master, &root, look);
                } else {
                    look.missing(&self.entity, Message::new("watch-nginx-config-not-allowed"));
                }
            }
            Ok(_) => return Ok(()), // it ended just now
            Err(error) => self.unread(&error, look),
        }
        self.workers = workers;
        Ok(())
    }

    /// The log files that the master holds open: standard error is the error log.
    fn open_logs(&self, master: u32, root: &Root) {
        let folder = PathBuf::from(format!("/proc/{master}/fd"));
        let target = |entry: &Path| root.inner(&fs::read_link(entry).ok()?);
        let errors = target(&folder.join("2"));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut logs: Vec<_> = entries
            .filter_map(|entry| target(&entry.path()))
            .filter(|path| Some(path) != errors.as_ref() && is_access_log(path))
            .take(MAX_LOGS)
            .collect();
        logs.sort();
        let looked = root.visit(move |files| {
            let is_file = |path: &PathBuf| files.stat(path).is_ok();
            Ok((errors.filter(is_file), logs.into_iter().find(is_file)))
        });
        let (errors, access) = looked.unwrap_or_default();
        let mut found = self.found.borrow_mut();
        if !self.named.1 {
            found.access_log = access.map(|path| LogFile::of(root, path));
        }
        if !self.named.0 {
            found.error_log = errors.map(|path| LogFile::of(root, path));
        }
    }

    fn config(&self, master: u32, root: &Root, look: &mut Look) {
        let title = title(master);
        let folder = fs::read_link(format!("/proc/{master}/cwd")).unwrap_or_default();
        let folder = root.inner(&folder).unwrap_or_else(|| "/".into());
        let read = root.visit(move |files| {
            let program = program(master).unwrap_or_default();
            let place = NginxConfigPlace::of(&title, &folder.to_string_lossy(), &program);
            drop(program);
            Ok((config::read(&place, files), place))
        });
        let (read, place) = match read {
            Ok(read) => read,
            Err(error) => return self.unread(&error, look),
        };
        if let Some((path, reason)) = read.missing {
            let message = Message::new("watch-nginx-config-part")
                .with("path", path)
                .with("reason", reason);
            look.missing(&self.entity, message);
        }
        let config = read.config;
        let mut found = self.found.borrow_mut();
        if let Some((path, format)) = &config.access_log {
            if !self.named.1 {
                found.access_log = Some(LogFile::of(root, path));
            }
            let is_same = |log: &LogFile| log.path() == Path::new(path);
            if !self.named.2 && found.access_log.as_ref().is_some_and(is_same) {
                let known = config.formats.get(format).cloned();
                found.log_format = known.or_else(|| Some(format.clone()));
            }
        }
        let error_log = config.error_log.or(place.error_log);
        if let (false, Some(path)) = (self.named.0, error_log) {
            found.error_log = Some(LogFile::of(root, path));
        }
        for (name, value) in config.facts {
            look.fact(&self.entity, format!("nginx.{name}"), value);
        }
    }

    fn unread(&self, error: &io::Error, look: &mut Look) {
        let reason = error.to_string();
        let message = Message::new("watch-nginx-no-config").with("reason", reason);
        look.missing(&self.entity, message);
    }
}

fn is_access_log(path: &Path) -> bool {
    path.file_name().is_some_and(|name| {
        let name = name.to_string_lossy();
        name.contains("log") && !name.contains("err")
    })
}

/// The bytes of its program, which say what it was built with.
pub(super) fn program(pid: u32) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_named(Path::new(&format!("/proc/{pid}/exe")))?;
    file.take(MAX_PROGRAM).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Collector for NginxProcess {
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
pub(super) fn title(pid: u32) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(format!("/proc/{pid}/cmdline")) {
        // What cannot be read is no title.
        let _ = file.take(MAX_TITLE).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn is_master(pid: u32) -> bool {
    title(pid).starts_with("nginx: master process")
}

/// The master that was named, or the only one, or the one that listens at the port.
pub(super) fn find_master(pid: Option<u32>, port: Option<u16>) -> Option<u32> {
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
            let sockets = listening_at(&NetSpace::own(), port);
            let holds = |pid: &Pid| {
                let open = Descriptors::of(*pid).unwrap_or_default().sockets;
                open.iter().any(|inode| sockets.contains(inode))
            };
            masters.into_iter().find(holds)
        }
        _ => None,
    }
}

fn parent(pid: Pid) -> Option<Pid> {
    stat_of(pid).map(|stat| stat.parent)
}

pub(super) fn workers(master: u32) -> Vec<u32> {
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
