//! A local JVM through its performance counters: nothing is attached, and it goes on telling
//! while garbage collection leaves no time for anything else.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::counters::Counters;
use super::perf_data::PerfData;
use super::target::{JvmAddress, JvmProcess};
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::proc::root::Root;
use plimsoll_secrets::command_line;

/// Watches one JVM.
pub(crate) struct Hsperf {
    address: JvmAddress,
    host: String,
    /// Whether the GC log of the same JVM is read, which knows more of collections.
    gc_log: Rc<Cell<bool>>,
    open: Option<OpenJvm>,
    /// The JVM that was watched before, to tell of a restart.
    before: Option<(JvmProcess, Arc<Entity>)>,
}

struct OpenJvm {
    process: JvmProcess,
    entity: Arc<Entity>,
    file: File,
    data: PerfData,
    counters: Counters,
}

impl Hsperf {
    pub(crate) fn new(address: JvmAddress, host: String, gc_log: Rc<Cell<bool>>) -> Self {
        Self {
            address,
            host,
            gc_log,
            open: None,
            before: None,
        }
    }

    fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        if let Some(open) = self.open.take_if(|open| !open.process.alive()) {
            self.before = Some((open.process, open.entity));
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => none.insert(OpenJvm::find(self.address, &self.host)?),
        };
        if let Some((process, entity)) = self.before.take() {
            look.event(&entity, restarted(&process, &open.process));
            // Whoever takes the same port is the same thing to its user.
            open.entity = entity;
        }
        open.data
            .read(&open.file)
            .map_err(|error| unreadable("hsperfdata", &error))?;
        open.facts(look);
        open.counters
            .look(&open.entity, &open.data, self.gc_log.get(), look);
        Ok(())
    }
}

impl Collector for Hsperf {
    fn about(&self) -> String {
        format!("jvm {}", self.address.text())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move { self.look(look) })
    }
}

impl OpenJvm {
    fn find(address: JvmAddress, host: &str) -> Result<Self, Trouble> {
        let process = JvmProcess::find(address)?;
        let file = counters(&process).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => no_counters(&process),
            _ => unreadable("/tmp/hsperfdata_…", &error),
        })?;
        Ok(Self {
            entity: process.entity(host),
            process,
            file,
            data: PerfData::default(),
            counters: Counters::default(),
        })
    }

    /// What does not change while a JVM lives.
    fn facts(&self, look: &mut Look) {
        if !self.counters.is_new() {
            return;
        }
        let texts = [
            ("process.runtime.name", "java.property.java.vm.name"),
            ("process.runtime.version", "java.property.java.vm.version"),
            ("process.runtime.vendor", "java.property.java.vm.vendor"),
            ("jvm.version", "java.property.java.version"),
        ];
        for (fact, counter) in texts {
            if let Some(text) = self.data.text(counter).filter(|text| !text.is_empty()) {
                look.fact(&self.entity, fact, text);
            }
        }
        let arguments = self.process.arguments();
        let command = if arguments.is_empty() {
            let line = self.data.text("sun.rt.javaCommand").unwrap_or_default();
            command_line(&line.split(' ').collect::<Vec<_>>())
        } else {
            command_line(&arguments)
        };
        look.fact(&self.entity, "process.command_line", command);
        look.fact(&self.entity, "process.pid", self.process.pid.to_string());
        let flags = self.data.text("java.rt.vmFlags").unwrap_or_default();
        if !flags.trim().is_empty() {
            look.fact(
                &self.entity,
                "jvm.flags",
                command_line(&flags.split(' ').collect::<Vec<_>>()),
            );
        }
    }
}

/// The process's counters: in `/tmp` as the process sees it, a file of its own user.
///
/// # Errors
/// There are none (`NotFound`), or they are not to be read.
pub(crate) fn counters(process: &JvmProcess) -> io::Result<File> {
    let root = process.root().or_else(|error| match error.kind() {
        // A process that hides itself from its own user has that user's `/tmp`.
        io::ErrorKind::PermissionDenied if process.inner_pid == process.pid => {
            Root::of(std::process::id())
        }
        _ => Err(error),
    })?;
    let (inner_pid, uid) = (process.inner_pid.to_string(), process.uid);
    root.visit(move |files| {
        let mut refused = io::Error::from(io::ErrorKind::NotFound);
        let mut folders = files.list(Path::new("/tmp"))?;
        folders.retain(|name| name.starts_with("hsperfdata_"));
        for folder in folders {
            let path = Path::new("/tmp").join(folder).join(&inner_pid);
            // Another's file of that name is left from a process that is gone.
            match files.open_own(&path, uid) {
                Ok(file) => return Ok(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => refused = error,
            }
        }
        Err(refused)
    })
}

/// Why there are no counters, as far as the command line tells.
fn no_counters(process: &JvmProcess) -> Trouble {
    let arguments = process.arguments();
    let options = ["-XX:-UsePerfData", "-XX:+PerfDisableSharedMem"];
    let option = options
        .iter()
        .find(|option| arguments.iter().any(|argument| argument == **option));
    Trouble::new(match option {
        Some(option) => Message::new("watch-jvm-counters-off")
            .with("pid", process.pid.to_string())
            .with("option", *option),
        None => Message::new("watch-jvm-no-counters").with("pid", process.pid.to_string()),
    })
}

fn restarted(before: &JvmProcess, now: &JvmProcess) -> Message {
    Message::new("watch-jvm-restarted")
        .with("before", before.pid.to_string())
        .with("now", now.pid.to_string())
}

fn unreadable(what: &str, error: &std::io::Error) -> Trouble {
    let id = if error.kind() == std::io::ErrorKind::PermissionDenied {
        "watch-jvm-denied"
    } else {
        "watch-file-unreadable"
    };
    Trouble::new(
        Message::new(id)
            .with("path", what)
            .with("reason", error.to_string()),
    )
}
