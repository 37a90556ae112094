//! What can go wrong with a run on disk, said with the path and a remedy.

use std::path::{Path, PathBuf};

use plimsoll_text::{Lang, Message, render};

/// Why a run could not be written, found or read.
#[derive(Debug, thiserror::Error)]
#[error("{}", render(Lang::En, &self.message()))]
pub struct StoreError {
    /// The file or directory it is about.
    pub path: PathBuf,
    /// What went wrong.
    pub kind: StoreErrorKind,
    /// The error underneath, if there is one.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What went wrong with a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// No room on the device, or a quota is exhausted.
    DiskFull,
    /// The file system allows this user no writing (or reading) there.
    PermissionDenied,
    /// The file system is read-only.
    ReadOnly,
    /// Another program holds the file locked.
    Locked,
    /// The directory has no `run.sqlite`, or it is not one of ours.
    NotARun,
    /// Written by a newer version of the program.
    NewerVersion {
        /// Version of the file.
        found: i64,
        /// Newest version this program reads.
        known: i64,
    },
    /// The content contradicts itself.
    Damaged,
    /// There is no run at all below the directory.
    NoRuns,
    /// Nothing has that name.
    RunNotFound {
        /// What was asked for.
        spec: String,
        /// The newest runs there are.
        candidates: Vec<String>,
    },
    /// Several runs begin with that.
    AmbiguousRun {
        /// What was asked for.
        spec: String,
        /// The runs that begin with it.
        candidates: Vec<String>,
    },
    /// It cannot be gone on with: it has its summary.
    Finished,
    /// It cannot be gone on with: somebody writes it.
    StillWritten,
    /// It cannot be gone on with: nobody has kept what the load host said.
    OneMachine,
    /// Any other failure of the system or of SQLite.
    Other,
}

impl StoreErrorKind {
    /// The end of the text id: `store-<slug>`.
    fn slug(&self) -> &'static str {
        match self {
            Self::DiskFull => "disk-full",
            Self::PermissionDenied => "permission-denied",
            Self::ReadOnly => "read-only",
            Self::Locked => "locked",
            Self::NotARun => "not-a-run",
            Self::NewerVersion { .. } => "newer-version",
            Self::Damaged => "damaged",
            Self::NoRuns => "no-runs",
            Self::RunNotFound { .. } => "run-not-found",
            Self::AmbiguousRun { .. } => "ambiguous-run",
            Self::Finished => "finished",
            Self::StillWritten => "still-written",
            Self::OneMachine => "one-machine",
            Self::Other => "other",
        }
    }
}

impl StoreError {
    pub(crate) fn new(path: impl Into<PathBuf>, kind: StoreErrorKind) -> Self {
        Self {
            path: path.into(),
            kind,
            source: None,
        }
    }

    /// From an error of the file system.
    pub(crate) fn io(path: &Path, error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let kind = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                StoreErrorKind::DiskFull
            }
            ErrorKind::PermissionDenied => StoreErrorKind::PermissionDenied,
            ErrorKind::ReadOnlyFilesystem => StoreErrorKind::ReadOnly,
            _ => StoreErrorKind::Other,
        };
        Self::new(path, kind).because(error)
    }

    /// From an error of SQLite.
    pub(crate) fn sqlite(path: &Path, error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let kind = match error.sqlite_error_code() {
            // A write that fails otherwise than for want of room is rare, and
            // SQLite reports some full devices and quotas as a plain I/O error.
            Some(ErrorCode::DiskFull) => StoreErrorKind::DiskFull,
            Some(ErrorCode::SystemIoFailure) if is_write_failure(&error) => {
                StoreErrorKind::DiskFull
            }
            Some(ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                StoreErrorKind::PermissionDenied
            }
            Some(ErrorCode::ReadOnly) => StoreErrorKind::ReadOnly,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreErrorKind::Locked,
            Some(ErrorCode::NotADatabase) => StoreErrorKind::NotARun,
            Some(ErrorCode::DatabaseCorrupt) => StoreErrorKind::Damaged,
            _ => StoreErrorKind::Other,
        };
        Self::new(path, kind).because(error)
    }

    /// For content that contradicts itself.
    pub(crate) fn damaged(
        path: &Path,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::new(path, StoreErrorKind::Damaged).because(error)
    }

    pub(crate) fn because(
        mut self,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(error.into());
        self
    }

    /// What to tell a person: what, where, and what to do next.
    #[must_use]
    pub fn message(&self) -> Message {
        let message = Message::new(format!("store-{}", self.kind.slug()))
            .with("path", self.path.display().to_string())
            .with(
                "detail",
                self.source
                    .as_ref()
                    .map_or(String::new(), |e| e.to_string()),
            );
        match &self.kind {
            StoreErrorKind::NewerVersion { found, known } => {
                message.with("found", *found).with("known", *known)
            }
            StoreErrorKind::RunNotFound { spec, candidates }
            | StoreErrorKind::AmbiguousRun { spec, candidates } => message
                .with("spec", spec.as_str())
                .with("candidates", candidates.join(", ")),
            _ => message,
        }
    }
}

fn is_write_failure(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi;
    matches!(
        error.sqlite_error().map(|e| e.extended_code),
        Some(
            ffi::SQLITE_IOERR_WRITE
                | ffi::SQLITE_IOERR_FSYNC
                | ffi::SQLITE_IOERR_TRUNCATE
                | ffi::SQLITE_IOERR_SHMSIZE
        )
    )
}
