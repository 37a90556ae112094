//! What a running nginx has in force: its workers and the files that they have read.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::config::{self, NginxConfigPlace};
use super::process::{find_master, program, title, workers};
use crate::proc::Pid;
use crate::proc::root::Root;

/// The configuration of a master: its files, and when the newest was changed.
pub(crate) struct NginxInForce {
    pub(crate) files: Vec<(String, String)>,
    pub(crate) changed: SystemTime,
}

/// The master of a process that is one or a worker of one.
pub(crate) fn master_of(pid: Pid) -> Option<Pid> {
    find_master(Some(pid), None)
}

/// The workers that still take connections.
pub(crate) fn serving(master: Pid) -> Vec<Pid> {
    let all = workers(master).into_iter();
    all.filter(|pid| !title(*pid).contains("shutting down"))
        .collect()
}

/// Reads the files below the master's own root, with its rights.
///
/// # Errors
/// What could not be read.
pub(crate) fn configuration(master: Pid) -> io::Result<NginxInForce> {
    let root = Root::of(master)?;
    let (title, folder) = (title(master), fs::read_link(format!("/proc/{master}/cwd")));
    let folder = root
        .inner(&folder.unwrap_or_default())
        .unwrap_or_else(|| "/".into());
    root.visit(move |files| {
        let program = program(master).unwrap_or_default();
        let place = NginxConfigPlace::of(&title, &folder.to_string_lossy(), &program);
        drop(program);
        let read = config::read(&place, files);
        if let Some((path, reason)) = read.missing {
            return Err(io::Error::other(format!("{path}: {reason}")));
        }
        let mut changed = SystemTime::UNIX_EPOCH;
        for (path, _) in &read.files {
            let stat = files.stat(Path::new(path))?;
            let seconds = u64::try_from(stat.st_mtime).unwrap_or_default();
            let nanos = u32::try_from(stat.st_mtime_nsec).unwrap_or_default();
            changed = changed.max(SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos));
        }
        Ok(NginxInForce {
            files: read.files,
            changed,
        })
    })
}
