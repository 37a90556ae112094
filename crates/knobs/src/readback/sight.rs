//! What can be seen of a running target.

use std::time::SystemTime;

use plimsoll_text::Message;
use serde_json::Value;

/// Why something was not seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSeen {
    /// This target has no such way.
    NoWay,
    /// The way is there, and shows nothing of this: masked, switched off, not of this version.
    Hidden {
        /// Where it was looked for.
        by: String,
    },
    /// Looking failed.
    Failed {
        /// Where.
        by: String,
        /// What was said.
        detail: String,
    },
}

impl NotSeen {
    /// Nothing shows it there.
    #[must_use]
    pub fn hidden(by: impl Into<String>) -> Self {
        Self::Hidden { by: by.into() }
    }

    /// Looking failed there.
    pub fn failed(by: impl Into<String>, error: impl std::fmt::Display) -> Self {
        Self::Failed {
            by: by.into(),
            detail: error.to_string(),
        }
    }

    /// What to say.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::NoWay => Message::new("knobs-no-way"),
            Self::Hidden { by } => Message::new("knobs-hidden").with("by", by.as_str()),
            Self::Failed { by, detail } => Message::new("knobs-look-failed")
                .with("by", by.as_str())
                .with("detail", detail.as_str()),
        }
    }
}

/// A worker of nginx.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerSeen {
    /// When it began.
    pub began: SystemTime,
    /// Its soft limit of open files.
    pub open_files: u64,
}

/// A listening socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlog {
    /// Where it listens.
    pub address: String,
    /// How many connections may wait there.
    pub limit: u64,
}

/// nginx' configuration on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NginxFilesSeen {
    /// Path and content of each file.
    pub files: Vec<(String, String)>,
    /// When the newest was changed.
    pub changed: SystemTime,
}

/// Looks at one running component. Each way that a target does not have is [`NotSeen::NoWay`].
pub trait Sight {
    /// A page of Spring's actuator: `configprops`, `env/NAME`, `metrics/NAME`.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn actuator(&mut self, _page: &str) -> Result<Value, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// The value in force of an option of the JVM, by its name without `-XX:`.
    ///
    /// # Errors
    ///
    /// If it is not seen.
    fn jvm_flag(&mut self, _name: &str) -> Result<String, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// The process's arguments, its program first.
    ///
    /// # Errors
    ///
    /// If they are not seen.
    fn arguments(&mut self) -> Result<Vec<String>, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// A variable of the process's environment; `None` if it has none of that name.
    ///
    /// # Errors
    ///
    /// If the environment is not seen.
    fn variable_of_process(&mut self, _name: &str) -> Result<Option<String>, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// A variable of MySQL, MariaDB (`SHOW GLOBAL VARIABLES`) or PostgreSQL (`SHOW`).
    ///
    /// # Errors
    ///
    /// If it is not seen.
    fn database_variable(&mut self, _name: &str) -> Result<String, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// A parameter of Redis (`CONFIG GET`).
    ///
    /// # Errors
    ///
    /// If it is not seen.
    fn redis_config(&mut self, _name: &str) -> Result<String, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// A file below `/proc/sys` or `/sys` in the target's own namespaces.
    ///
    /// # Errors
    ///
    /// If it is not read.
    fn kernel_file(&mut self, _path: &str) -> Result<String, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// A file of the component's cgroup.
    ///
    /// # Errors
    ///
    /// If it is not read.
    fn cgroup_file(&mut self, _name: &str) -> Result<String, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// The process's soft limit of open files.
    ///
    /// # Errors
    ///
    /// If it is not read.
    fn open_files(&mut self) -> Result<u64, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// The listening sockets of the component.
    ///
    /// # Errors
    ///
    /// If they are not seen.
    fn backlogs(&mut self) -> Result<Vec<Backlog>, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// nginx' workers that still take connections.
    ///
    /// # Errors
    ///
    /// If they are not seen.
    fn workers(&mut self) -> Result<Vec<WorkerSeen>, NotSeen> {
        Err(NotSeen::NoWay)
    }

    /// nginx' configuration as its master reads it: each file with what it holds, and when the newest of
    /// them was changed.
    ///
    /// # Errors
    ///
    /// If it is not read.
    fn nginx_files(&mut self) -> Result<NginxFilesSeen, NotSeen> {
        Err(NotSeen::NoWay)
    }
}
