//! The code of a process and its workers.

use std::collections::HashMap;

use plimsoll_profile::{CodeTable, InterpreterRefused};

use super::process::WatchedCode;
use crate::proc::{Pid, find};

/// Of a family of many processes the first are looked into.
const MAX_PROCESSES: usize = 256;

/// The code of a family of processes, as far as it was read.
#[derive(Default)]
pub(crate) struct FamilyCode {
    pub(super) table: CodeTable,
    pub(super) processes: HashMap<Pid, Option<WatchedCode>>,
}

impl FamilyCode {
    /// Reads the code of a process, and says what of it cannot be told; none if it cannot be read.
    pub(crate) fn open(&mut self, pid: Pid) -> Option<FamilyLook> {
        let (code, _) = self.of(pid)?;
        Some(FamilyLook {
            is_jvm: code.is_jvm(),
            refused: code.refused().cloned(),
            lacks_map: code.lacks_map(),
        })
    }

    /// Leaves those out that have ended: others have come in their place.
    pub(super) fn forget_ended(&mut self) {
        self.processes
            .retain(|pid, known| known.is_some() && find::stat_of(*pid).is_some());
    }

    pub(super) fn of(&mut self, pid: Pid) -> Option<(&mut WatchedCode, &mut CodeTable)> {
        let Self { table, processes } = self;
        if processes.len() >= MAX_PROCESSES && !processes.contains_key(&pid) {
            return None;
        }
        let known = processes
            .entry(pid)
            .or_insert_with(|| WatchedCode::open(pid, table));
        // Its number may be another's by now.
        if known.as_ref().is_some_and(|known| !known.is_current()) {
            *known = WatchedCode::open(pid, table);
        }
        Some((known.as_mut()?, table))
    }
}

/// What can be seen of a process.
pub(crate) struct FamilyLook {
    /// It is a JVM, which is looked at otherwise.
    pub(crate) is_jvm: bool,
    /// Its interpreter is of a version that is not known.
    pub(crate) refused: Option<InterpreterRefused>,
    /// It compiles while it runs, and tells no names.
    pub(crate) lacks_map: bool,
}
