//! Files that a JMeter plan names by what only a user knows, such as `users_${__threadNum}.csv`:
//! each user names its file once, when it takes its first row, and users that name the same file
//! go over its rows together (JMeter 5.6.3, `CSVDataSet.iterationStart`).

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use plimsoll_plan::program::{SharedDef, SharedId};

use super::table::DataTable;

/// What is known of such files.
#[derive(Debug, Default)]
pub(super) struct ByUser {
    /// What their names were before any user was there.
    pub(super) at_start: HashMap<SharedId, PathBuf>,
    /// Those whose names another process computes, as for scripts: nobody knows them before users ask.
    late: HashSet<SharedId>,
    pub(super) opened: Mutex<HashMap<(SharedId, PathBuf), OpenedFile>>,
}

/// A file that some user named.
#[derive(Debug, Clone)]
pub(super) struct OpenedFile {
    pub table: Arc<DataTable>,
    pub taken: Arc<AtomicU64>,
}

impl ByUser {
    /// The name of a file before any user was there.
    pub fn at_start(&mut self, id: SharedId, path: &Path) {
        self.at_start.insert(id, path.to_owned());
    }

    /// The name of a file is known once a user asks for it.
    pub fn late(&mut self, id: SharedId) {
        self.late.insert(id);
    }

    /// Whether users alone know the name of a file.
    pub fn is_late(&self, id: SharedId) -> bool {
        self.late.contains(&id)
    }

    /// Whether each user says what a file is called.
    pub fn is_asked(&self, id: SharedId) -> bool {
        self.is_late(id) || self.at_start.contains_key(&id)
    }
}

/// Whether the name of a file may differ from user to user.
pub(super) fn is_named_by_user(def: &SharedDef) -> bool {
    matches!(def, SharedDef::Rows { path, .. } if path.as_text().is_none())
}
