//! What a running target has in force, for whoever changed a setting and wants to see it there.
//!
//! A [`TargetSight`] is given what a component consists of (its process, its actuator, its database) and
//! looks when it is asked. Nothing of the target is executed but what its own protocols do.

mod process;
mod servers;

pub use process::all_listening_at;

use plimsoll_knobs::readback::{Backlog, NginxFilesSeen, NotSeen, Sight, WorkerSeen};
use serde_json::Value;

use crate::source::{Spec, SpecError};
use servers::ServersSeen;

/// Looks at one component. It may not be used within an asynchronous runtime.
pub struct TargetSight {
    servers: ServersSeen,
    process: Option<u32>,
}

impl TargetSight {
    /// A component of which nothing is known yet.
    ///
    /// # Errors
    /// If the system gives nothing to wait with.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            servers: ServersSeen::new()?,
            process: None,
        })
    }

    /// It has a source: `actuator`, `mysql`, `postgresql` or `redis`; others show no settings.
    ///
    /// # Errors
    /// If the source cannot be opened as it is written.
    pub fn with(mut self, spec: &Spec) -> Result<Self, SpecError> {
        self.servers.add(spec)?;
        Ok(self)
    }

    /// It is that process; of nginx the master or a worker.
    #[must_use]
    pub fn of_process(mut self, pid: u32) -> Self {
        self.process = Some(pid);
        self
    }

    /// It is whoever listens at that port of this host; nobody: there is no process to look at.
    #[must_use]
    pub fn listening_at(mut self, port: u16) -> Self {
        self.process = process::listening_at(port);
        self
    }

    /// The process that is looked at, if there is one.
    #[must_use]
    pub const fn process(&self) -> Option<u32> {
        self.process
    }

    fn pid(&self) -> Result<u32, NotSeen> {
        self.process.ok_or(NotSeen::NoWay)
    }
}

impl Sight for TargetSight {
    fn actuator(&mut self, page: &str) -> Result<Value, NotSeen> {
        self.servers.actuator(page)
    }

    fn jvm_flag(&mut self, name: &str) -> Result<String, NotSeen> {
        let pid = self.pid()?;
        self.servers.jvm_flag(pid, name)
    }

    fn arguments(&mut self) -> Result<Vec<String>, NotSeen> {
        process::arguments(self.pid()?)
    }

    fn variable_of_process(&mut self, name: &str) -> Result<Option<String>, NotSeen> {
        process::variable(self.pid()?, name)
    }

    fn database_variable(&mut self, name: &str) -> Result<String, NotSeen> {
        self.servers.database_variable(name)
    }

    fn redis_config(&mut self, name: &str) -> Result<String, NotSeen> {
        self.servers.redis_config(name)
    }

    fn kernel_file(&mut self, path: &str) -> Result<String, NotSeen> {
        process::kernel_file(self.process, path)
    }

    fn cgroup_file(&mut self, name: &str) -> Result<String, NotSeen> {
        process::cgroup_file(self.pid()?, name)
    }

    fn open_files(&mut self) -> Result<u64, NotSeen> {
        process::open_files(self.pid()?)
    }

    fn backlogs(&mut self) -> Result<Vec<Backlog>, NotSeen> {
        process::backlogs(self.pid()?)
    }

    fn workers(&mut self) -> Result<Vec<WorkerSeen>, NotSeen> {
        process::nginx_workers(self.pid()?)
    }

    fn nginx_files(&mut self) -> Result<NginxFilesSeen, NotSeen> {
        process::nginx_files(self.pid()?)
    }
}
